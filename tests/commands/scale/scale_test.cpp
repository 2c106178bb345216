// Sizes of a job: which ones are run, what becomes of those that it cannot have, and the figures against closed forms.
#include "commands/scale/scale.hpp"

#include "commands/scale/gpu_counts.hpp"
#include "policies/checkpoint/interval.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <stdexcept>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint64_t kScaleSeed = 5;

PointSource source_of(const std::string& scenario, std::vector<std::string> sets = {}) {
  return {"scenarios/" + scenario + ".toml", std::move(sets), kScaleSeed};
}

ScalePlan plan_of(const PointSource& source, const std::string& gpus,
                  BatchScaling batch = BatchScaling::scaled) {
  return plan_scale(source, gpus, batch, "--gpus");
}

std::vector<std::uint32_t> sizes_of(const ScalePlan& plan) {
  for (const Problem& problem : plan.problems) ADD_FAILURE() << problem.text();
  std::vector<std::uint32_t> sizes;
  for (const auto& point : plan.points) sizes.push_back(point->facts.gpus);
  return sizes;
}

std::string refusal(const PointSource& source, const std::string& gpus,
                    BatchScaling batch = BatchScaling::scaled) {
  const ScalePlan plan = plan_of(source, gpus, batch);
  EXPECT_TRUE(plan.points.empty()) << gpus;
  return plan.problems.empty() ? "" : plan.problems.front().text();
}

TEST(GpuCounts, AreRangesAndListsWithKiloOf1024) {
  EXPECT_THAT(parse_gpu_counts("1k:128k:log8", "").counts,
              ElementsAre(1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072));
  EXPECT_THAT(parse_gpu_counts("8:24:lin3", "").counts, ElementsAre(8, 16, 24));
  const GpuCounts list = parse_gpu_counts("16k, 1000", "");
  EXPECT_THAT(list.counts, ElementsAre(1000, 16384));
  EXPECT_FALSE(list.range);
  for (const char* wrong : {"",
                            "0",
                            "-8",
                            "abc",
                            "1M",
                            "1.5k",
                            "8,",
                            ":",
                            "8:",
                            "0:8",
                            "8:8",
                            "16:8",
                            "8:16:cub3",
                            "8:16:log0",
                            "1:2:3:4",
                            "1:2,3",
                            "64,64",
                            "16k,1000,16384",
                            "99999999999999999999",
                            "1:1000000000k:log8"}) {
    const GpuCounts refused = parse_gpu_counts(wrong, "--gpus");
    ASSERT_TRUE(refused.problem) << wrong;
    EXPECT_TRUE(refused.counts.empty()) << wrong;
    EXPECT_THAT(refused.problem->text(), HasSubstr(std::string("--gpus: \"") + wrong + '"'));
  }
}

TEST(Scale, SizesAreRoundedToWholeReplicasAndARangeHasTheScenariosOwn) {
  const PointSource llama = source_of("llama3-405b-54d");  // replicas of 8 x 16 GPUs, dp = 128
  const ScalePlan range = plan_of(llama, "1000:20000:log2");
  EXPECT_THAT(sizes_of(range), ElementsAre(1024, 16384, 19968));
  ASSERT_EQ(range.rounded.size(), 2U);
  EXPECT_EQ(range.rounded[0].asked, 1000U);
  EXPECT_EQ(range.rounded[0].taken, 1024U);
  const ScalePlan list = plan_of(llama, "1024,8k");
  EXPECT_THAT(sizes_of(list), ElementsAre(1024, 8192));
  EXPECT_TRUE(list.rounded.empty());
  const JobModel& job = list.points[1]->scenario.world.job;
  EXPECT_EQ(job.layout.dp, 64U);
  EXPECT_EQ(job.global_batch, 1024U);  // weak scaling: half of 2,048
  const JobModel kept = plan_of(llama, "8k", BatchScaling::kept).points.at(0)->scenario.world.job;
  EXPECT_EQ(kept.layout.dp, 64U);
  EXPECT_EQ(kept.global_batch, 2048U);
}

TEST(Scale, SparesOfEachKindGrowWithTheHosts) {
  const ScalePlan sizes =
      plan_of(source_of("tiny-8", {"spares.count=2", "spares.cold=4", "spares.pool=1"}), "64,128");
  ASSERT_EQ(sizes.points.size(), 2U);
  const auto spares_of = [&](std::size_t i) {
    const World& world = sizes.points[i]->scenario.world;
    return std::vector<std::uint32_t>{world.inventory.spares, world.spares.cold, world.spares.pool};
  };
  EXPECT_THAT(spares_of(0), ElementsAre(7, 4, 1));  // the scenario's own
  EXPECT_THAT(spares_of(1), ElementsAre(14, 8, 2));
}

TEST(Scale, WithoutSizesTheyLieAroundTheScenariosOwn) {
  EXPECT_THAT(sizes_of(plan_of(source_of("rsc1"), "")),
              ElementsAre(1024, 2048, 4096, 8192, 16000, 16384, 32768, 65536, 131072));
  EXPECT_THAT(sizes_of(plan_of(source_of("tiny-8"), "")), ElementsAre(8, 16, 32, 64, 128, 256, 512));
  // dp = 2,000 is the most that 16,000 sequences in micro-batches of 8 can be shared by, and nobody asked for more.
  EXPECT_EQ(sizes_of(plan_of(source_of("rsc1"), "", BatchScaling::kept)).back(), 16000U);
}

TEST(Scale, SizesThatNoJobCanHaveAreMistakes) {
  const PointSource rsc1 = source_of("rsc1");
  EXPECT_THAT(refusal(rsc1, "4"),
              HasSubstr("--gpus: 4 GPUs are fewer than one pipeline replica of tp x pp = 8 x 1"));
  EXPECT_THAT(refusal(rsc1, "1k,8000000000"),
              HasSubstr("--gpus: 8000000000 GPUs are more than a job may have; ask for 80000000 at most"));
  EXPECT_THAT(refusal(rsc1, "128k", BatchScaling::kept),
              HasSubstr("does not divide the global batch of 16000"));
  EXPECT_THAT(refusal(source_of("rsc1", {"cluster.hosts=many"}), "1k"), HasSubstr("cluster.hosts"));
}

ScalePlan loaded(ScalePlan plan) {
  if (!plan.problems.empty()) throw std::runtime_error(plan.problems.front().text());
  return plan;
}

struct ScaleStudy {
  explicit ScaleStudy(const PointSource& source, std::uint32_t replicas,
                      const std::atomic<bool>* stop = nullptr)
      : plan(loaded(plan_of(source, "2048,16384,131072"))),
        executor(make_thread_executor({.seed = kScaleSeed}, 1)),
        store(Store::temporary({}, plan.base->facts.faults)),
        experiment(*executor, *store, {.stop = stop, .progress = {}}),
        result(scale(experiment, plan, replicas)) {}

  ScalePlan plan;
  std::unique_ptr<Executor> executor;
  std::unique_ptr<Store> store;
  Experiment experiment;
  ScaleResult result;
};

TEST(Scale, FailuresAndTheBestIntervalFollowTheClosedForms) {
  // 6.5 failures in 1,000 days of each host, and a checkpoint that blocks training for 30 s.
  const ScaleStudy study(source_of("rsc1", {"storage.stall=30s", "job.window=3d"}), 30);
  ASSERT_EQ(study.result.sizes.size(), 3U);
  for (const ScaledSize& size : study.result.sizes) {
    const double exact = 86400 * 1000 / 6.5 / size.summary.facts.hosts;
    const Statistics& mttf = *size.summary.find("mttf_s");
    EXPECT_LE(std::abs(*mttf.mean - exact), 4 * *mttf.se + 1e-12 * exact)
        << size.summary.facts.gpus << " GPUs, seed 5";
    ASSERT_TRUE(size.best_interval && size.best_interval->ci95);
    const auto best = [](double m) { return to_seconds(exact_interval(from_seconds(30), from_seconds(m))); };
    EXPECT_EQ(size.best_interval->seconds, best(*mttf.mean));
    EXPECT_EQ(size.best_interval->ci95->low, best(mttf.ci95->low));
    EXPECT_EQ(size.best_interval->ci95->high, best(mttf.ci95->high));
    EXPECT_FALSE(size.best_interval->every_step);
  }
  EXPECT_GT(*study.result.sizes[0].summary.mean("ettr"), *study.result.sizes[2].summary.mean("ettr") + 0.2);
  EXPECT_THAT(to_json(study.result), HasSubstr("\"batch\": \"scaled\""));
}

TEST(Scale, CheckpointsThatCostNothingAreBestAfterEveryStep) {
  const ScaleStudy study(source_of("rsc1", {"job.window=1d"}), 5);
  const ScaledSize& size = study.result.sizes.back();
  ASSERT_TRUE(size.best_interval);
  EXPECT_TRUE(size.best_interval->every_step);
  EXPECT_EQ(size.best_interval->seconds, to_seconds(size.step));
}

TEST(Scale, WhereNothingFailedNoIntervalIsBest) {
  const ScaleStudy study(source_of("rsc1", {"job.window=6min"}), 1);
  EXPECT_FALSE(study.result.sizes.front().best_interval);
}

TEST(Scale, AnInterruptedOneHasWhatIsDone) {
  const std::atomic<bool> stop = true;
  const ScaleStudy study(source_of("rsc1"), 5, &stop);
  EXPECT_TRUE(study.result.interrupted);
  EXPECT_TRUE(study.result.sizes.empty());
  EXPECT_EQ(study.result.asked_sizes, 3U);
}

}  // namespace
}  // namespace gauntlet
