#include "commands/plan/plan.hpp"

#include "commands/plan/purchases.hpp"
#include "commands/plan/search.hpp"
#include "config/fields/tokens.hpp"
#include "core/infinity.hpp"
#include "core/random/stream.hpp"
#include "study/binomial.hpp"
#include "study/finish/finish.hpp"
#include "study/size.hpp"
#include "study/work.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint64_t kPlanSeed = 5;
/// A study of tiny-8 with some work to do, and what runs it.
struct Bench {
  PointSource source;
  std::unique_ptr<Store> store;
  std::unique_ptr<Executor> executor;
  Experiment experiment;

  explicit Bench(const std::vector<std::string>& sets)
      : source("scenarios/tiny-8.toml", sets, kPlanSeed),
        store(Store::temporary({.command = "test",
                                .arguments = "",
                                .version = "0",
                                .seed = kPlanSeed,
                                .scenario = "",
                                .text = ""},
                               source.point().point->facts.faults)),
        executor(make_thread_executor({.seed = kPlanSeed}, 2)),
        experiment(*executor, *store, {}) {}
};

/// Nothing goes wrong and nothing is planned, so that every run of a point takes as long as the others.
std::vector<std::string> undisturbed(std::vector<std::string> more) {
  std::vector<std::string> sets = {"study.step_time_error=false",
                                   "faults.gpu_lost.mtbf=never",
                                   "faults.link_flap.mtbf=never",
                                   "job.planned.times=[]",
                                   "telemetry.gap_mtbf=0s",
                                   "job.start.scheduling=20s",
                                   "job.steps=1000",
                                   "job.window=10d"};
  std::move(more.begin(), more.end(), std::back_inserter(sets));
  return sets;
}

PlanQuestion question(const PointSource& source, double finish_by_s, std::uint32_t replicas) {
  const Scenario scenario = source.point().point->scenario;
  const double tokens = static_cast<double>(scenario.world.job.steps) * scenario.world.job.global_batch *
                        scenario.world.job.model.sequence;
  return {.tokens = tokens,
          .finish_by_s = finish_by_s,
          .confidence = 0.9,
          .replicas = replicas,
          .counted = replicas,
          .seed = kPlanSeed};
}

TEST(Least, IsThatOfEveryThreshold) {
  for (std::int64_t fails = -1; fails < 3; ++fails)
    for (std::int64_t meets = fails + 1; meets < 40; ++meets)
      for (std::int64_t threshold = fails + 1; threshold <= meets; ++threshold) {
        int asked = 0;
        EXPECT_EQ(least(fails, meets,
                        [&](std::int64_t each) {
                          ++asked;
                          EXPECT_TRUE(fails < each && each < meets);  // its ends are known
                          return each >= threshold;
                        }),
                  threshold);
        EXPECT_LE(asked, 6);
      }
}

TEST(Least, OfMoreGenerousPlansHasNoMoreOfAnythingThanPlenty) {
  const Variant enough{.gpus = 64, .spares = 2, .storage = 0.25, .crew = 3}, plenty{.gpus = 64, .spares = 60};
  for (int step = 0; step < kGenerous; ++step) {
    const Variant now = generous(enough, plenty, 4, step), next = generous(enough, plenty, 4, step + 1);
    EXPECT_LE(*now.spares, *next.spares);
    EXPECT_LE(now.storage.value_or(1), next.storage.value_or(1));
    EXPECT_LE(now.crew.value_or(4), next.crew.value_or(4)) << "plenty has the given crew of 4";
  }
  // Where a technician is always free, as many as there are spares are next to that.
  EXPECT_EQ(*generous(enough, plenty, 0, kGenerous - 1).crew, 3 + 57 * 7 / 8);
}

TEST(Plan, WithoutFaultsTakesTheFirstSizeThatIsFastEnough) {
  Bench bench(undisturbed({}));
  const PlanQuestion any = question(bench.source, 1e6, 5);
  PlanVariants variants(bench.experiment, bench.source, any);
  std::vector<double> finish = {kInfinity};  // by replicas of the model
  for (std::uint64_t units = 1; units <= 16; ++units) {
    const auto point = variants.point({.gpus = units * size_unit(*variants.base())});
    ASSERT_TRUE(point && variants.run(*point, 1));
    finish.push_back(variants.finish(*point, 1)[0]);
  }
  ASSERT_TRUE(std::ranges::is_sorted(finish, std::greater<>()));
  for (const std::size_t units : {2U, 8U, 9U, 15U}) {
    const double at = finish[units], sooner = at - 1e-6;
    for (const auto& [date, wanted] : {std::pair{at, units}, std::pair{sooner, units + 1}}) {
      const PlanQuestion asked = question(bench.source, date, 5);
      const Planned planned = plan(bench.experiment, bench.source, asked);
      ASSERT_TRUE(planned.result && planned.result->enough);
      EXPECT_EQ(planned.result->enough->size.replicas, wanted);
      EXPECT_EQ(planned.result->enough->size.spares, 0U);
      // The least bandwidth writes too slowly for the checkpoint that the others stop for, for 8e-5 of the time.
      EXPECT_LE(planned.result->enough->finish.at(50), finish[wanted]);
      EXPECT_GT(planned.result->enough->finish.at(50), finish[wanted] * 0.9999);
      EXPECT_EQ(planned.result->as_given.by_date.hits, date < finish[8] ? 0U : 5U);
    }
  }
}

// One host cannot hold two copies of a checkpoint: the search does not end there.
TEST(Plan, PassesOverSizesThatTheScenarioCannotHave) {
  Bench bench(undisturbed(
      {"policies.checkpoint=\"fixed\"", "checkpoint.interval=10min", "checkpoint.peers_interval=2min"}));
  const PlanQuestion asked = question(bench.source, 1e6, 5);
  PlanVariants variants(bench.experiment, bench.source, asked);
  EXPECT_FALSE(variants.valid_point({.gpus = 8}));
  EXPECT_FALSE(variants.meets({.gpus = 8}));
  EXPECT_FALSE(variants.stopped());
  const Planned planned = plan(bench.experiment, bench.source, asked);
  ASSERT_TRUE(planned.result && planned.result->enough);
  EXPECT_EQ(planned.result->enough->size.hosts, 2U);
}

constexpr const char* kNeighbour =
    R"(cluster.shared.jobs={other={hosts=1,priority=0,arrives="30d",runs="1h"}})";

// The plan starts from 12 spares or more, and there is room for 3.
TEST(Plan, OnASharedClusterTriesTheSparesThatFit) {
  Bench bench(undisturbed({"spares.count=1", "cluster.shared.hosts=11", kNeighbour}));
  const PlanQuestion asked = question(bench.source, 1e6, 5);
  PlanVariants variants(bench.experiment, bench.source, asked);
  ASSERT_EQ(variants.base()->world.inventory.job_hosts, 8U);
  EXPECT_FALSE(variants.obstacle({.spares = 3}));
  EXPECT_TRUE(variants.obstacle({.spares = 4}));
  const Planned planned = plan(bench.experiment, bench.source, asked);
  for (const Problem& problem : planned.problems) ADD_FAILURE() << problem.text();
  ASSERT_TRUE(planned.result && planned.result->enough);
  EXPECT_EQ(planned.result->enough->size.hosts, 1U);
  // Beside one host the search finds room for all the spares that it tries.
  EXPECT_TRUE(std::ranges::none_of(planned.result->notes,
                                   [](const std::string& note) { return note.starts_with("Not tried"); }));
}

TEST(Plan, OnASharedClusterSaysWhereItEnds) {
  Bench bench(undisturbed({"spares.count=1", "cluster.shared.hosts=11", kNeighbour}));
  const Planned planned = plan(bench.experiment, bench.source, question(bench.source, 1, 5));
  for (const Problem& problem : planned.problems) ADD_FAILURE() << problem.text();
  ASSERT_TRUE(planned.result && planned.result->best);
  const PlanSize& best = planned.result->best->size;
  EXPECT_LE(best.hosts + best.spares, 11U);
  const auto says = [&](const std::string& what) {
    return std::ranges::any_of(planned.result->notes, [&](const std::string& note) {
      return note.starts_with("Not tried: more than " + what) &&
             note.find("cluster.shared.hosts") != std::string::npos;
    });
  };
  EXPECT_TRUE(says(std::to_string(best.spares) + " warm spare"));
}

TEST(Plan, OneSpareMoreIsOneMore) {
  Bench bench(undisturbed({"spares.count=2", "spares.cold=3"}));
  const PlanQuestion asked = question(bench.source, 1e6, 5);
  PlanVariants variants(bench.experiment, bench.source, asked);
  EXPECT_TRUE(variants.settings({.spares = 2}).empty());
  const auto more = variants.point({.spares = 3});
  ASSERT_TRUE(more);
  EXPECT_EQ(bench.experiment.point(*more).scenario.world.inventory.spares, 6U);
}

TEST(Plan, SaysTheNearestDateWhereNoneIsEnough) {
  Bench bench(undisturbed({}));
  const PlanQuestion asked = question(bench.source, 1, 5);
  const Planned planned = plan(bench.experiment, bench.source, asked);
  ASSERT_TRUE(planned.result);
  EXPECT_FALSE(planned.result->enough);
  ASSERT_TRUE(planned.result->best && planned.result->best_by_s);
  EXPECT_LT(*planned.result->best_by_s, *planned.result->as_given.finish.at(50));
  EXPECT_EQ(planned.result->best_by_s, planned.result->best->finish.at(95));
}

TEST(Plan, BarsAndPurchasesAreExactWhereNothingIsLeftToChance) {
  Bench bench(undisturbed({"job.start.warm_up=20s",
                           R"(study.uncertain=[{path="job.start.warm_up",low="10s",high="50s"},)"
                           R"({path="repair.time.mean",low="1h",high="2h"}])"}));
  const Planned planned = plan(bench.experiment, bench.source, question(bench.source, 1e6, 8));
  ASSERT_TRUE(planned.result) << (planned.problems.empty() ? "" : planned.problems[0].text());
  const Tornado& tornado = planned.result->tornado;
  EXPECT_EQ(tornado.target, "finish.p50");
  ASSERT_EQ(tornado.bars.size(), 2U);  // the widest first; nothing is ever repaired
  EXPECT_EQ(tornado.bars[0].path, "job.start.warm_up");
  EXPECT_NEAR(*tornado.bars[0].at_low.by, -10, 1e-6);
  EXPECT_NEAR(*tornado.bars[0].at_high.by, 30, 1e-6);
  EXPECT_EQ(tornado.bars[1].swing(), 0);

  const std::vector<Purchase>& bought = planned.result->one_more;
  const auto of = [&](const std::string& what) {
    const auto found = std::ranges::find(bought, what, &Purchase::what);
    return found == bought.end() ? Purchase{} : *found;
  };
  EXPECT_EQ(of("1 more spare host").mean.by, 0);
  // One more of nine hosts is paid for.
  const Purchase spare = of("1 more spare host");
  EXPECT_NEAR(*spare.cost.by, *planned.result->as_given.cost.mean / 9, 1e-9);
  // Of 20 s of scheduling, 15 s to start the processes, 5 s for the communicators and 20 s of warm-up.
  EXPECT_NEAR(of("10% quicker restarts").mean.by.value_or(0), -6, 1e-6);
}

/// Spares run out, and then runs give up.
std::vector<std::string> giving_up(std::vector<std::string> more = {}) {
  std::vector<std::string> sets = {"study.step_time_error=false", "spares.count=0",   "repair.crew=1",
                                   "job.give_up_after=4h",        "job.steps=200000", "job.window=70d"};
  std::move(more.begin(), more.end(), std::back_inserter(sets));
  return sets;
}

/// What an earlier run, or a later round of it, has left in the store is no part of the question. Here the plan as given is
/// the least one, so that a later round needs more of its runs; then the store has still more of every variant.
TEST(Plan, IsTheSameWhateverTheStoreHolds) {
  Bench bench(giving_up({"job.steps=20000", "storage.stall=1s", "storage.persist=5s", "storage.load=5s"}));
  PlanQuestion asked = question(bench.source, 3.5 * 3600, 10);
  asked.confidence = 0.5;
  asked.uncertainty = true;
  const auto answer = [&] {
    const Planned planned = plan(bench.experiment, bench.source, asked);
    EXPECT_TRUE(planned.result && planned.result->enough && planned.result->enough_uncertainty);
    if (!planned.result || !planned.result->enough) return std::string();
    EXPECT_EQ(planned.result->enough->size, planned.result->as_given.size);
    return to_json(*planned.result);
  };
  const std::string first = answer();
  std::vector<PointNumber> all(bench.experiment.points());
  std::iota(all.begin(), all.end(), PointNumber{0});
  ASSERT_TRUE(bench.experiment.ensure(all, 3 * asked.replicas));
  EXPECT_EQ(first, answer());
}

/// Runs with more stops choose a variant where late runs are rare, but what is printed of it is a count of runs as they are: a delay
/// that more stops do not make likelier is in no weight.
TEST(Plan, APrintedShareIsACount) {
  Bench bench({"job.window=30d", "job.steps=200000"});
  PlanQuestion asked = question(bench.source, 1.1e6, 20);
  asked.confidence = 0.95;
  asked.counted = runs_that_show(asked.confidence);
  ASSERT_EQ(asked.counted, 200u);
  const Planned planned = plan(bench.experiment, bench.source, asked);
  ASSERT_TRUE(planned.result && planned.result->enough);
  EXPECT_EQ(planned.result->replicas, 20u);
  for (const PlanOutcome* of : {&planned.result->as_given, &*planned.result->enough}) {
    EXPECT_EQ(of->by_date.runs, 200u);
    EXPECT_EQ(of->by_date.ci95, clopper_pearson(of->by_date.hits, 200, 0.95));
    EXPECT_EQ(of->finish.runs, 200u);
  }
  const std::vector<double> finish = finish_times(bench.experiment, 0, 200);
  EXPECT_EQ(planned.result->as_given.by_date.hits, share_by(finish, *asked.finish_by_s).hits);
  bool weighed = false;
  for (PointNumber each = 0; each < bench.experiment.points(); ++each)
    weighed = weighed || bench.experiment.point(each).tilt != 1;
  EXPECT_TRUE(weighed) << "no variant of this study was chosen by weights";
}

/// What giving up costs the plan as given is not put upon plans that never do.
TEST(Plan, APlanThatNeverGivesUpIsNotChargedForIt) {
  Bench bench(giving_up());
  const PlanQuestion asked = question(bench.source, 8 * 86'400, 40);
  PlanVariants variants(bench.experiment, bench.source, asked);
  const auto given = variants.point({});
  ASSERT_TRUE(given && variants.run(*given, 40));
  EXPECT_FALSE(variants.meets({}));
  variants.carry({.moved_by = {0, 0}, .more_never = {0.5, 0.3}, .never = 0.4, .more_never_error = 0.1},
                 *given);
  EXPECT_TRUE(variants.meets({.spares = 20}));
  EXPECT_FALSE(variants.meets({}));
}

TEST(Plan, MoreGpusAreDoneByTheDateMoreOften) {
  Bench bench({"job.window=30d", "job.steps=200000"});
  double last = 0;
  for (const std::uint32_t units : {4U, 6U, 8U, 12U}) {
    const PlanQuestion asked = question(bench.source, 1e6, 40);
    PlanVariants variants(bench.experiment, bench.source, asked);
    const auto point = variants.point({.gpus = units * size_unit(*variants.base()), .spares = 8});
    ASSERT_TRUE(point && variants.run(*point, 40));
    const double share = share_by(variants.finish(*point, 40), 5.2 * 86'400).value().value_or(-1);
    EXPECT_GE(share, last);
    last = share;
  }
}

TEST(Finish, ExactIntervalsOfAShare) {
  // Clopper and Pearson's of 0 of 10: 1 - 0.025^(1/10); of 5 of 10: Beta quantiles.
  EXPECT_NEAR(clopper_pearson(0, 10, 0.95).high, 0.30850, 5e-6);
  EXPECT_EQ(clopper_pearson(0, 10, 0.95).low, 0);
  EXPECT_NEAR(clopper_pearson(5, 10, 0.95).low, 0.18709, 5e-6);
  EXPECT_NEAR(clopper_pearson(5, 10, 0.95).high, 0.81291, 5e-6);
  EXPECT_EQ(clopper_pearson(10, 10, 0.95).high, 1);
}

TEST(Plan, WithoutADateSaysWhenTheWorkIsDoneAndSearchesNothing) {
  Bench bench(undisturbed(
      {"faults.host_down.mtbf=never", "faults.process_stuck.mtbf=never", "faults.slow_host.mtbf=never"}));
  PlanQuestion asked = question(bench.source, 1, 5);
  asked.finish_by_s.reset();
  const Planned planned = plan(bench.experiment, bench.source, asked);
  ASSERT_TRUE(planned.result);
  const PlanResult& result = *planned.result;
  EXPECT_FALSE(result.enough || result.best);
  EXPECT_EQ(result.as_given.by_date.runs, 0U);
  ASSERT_TRUE(result.as_given.finish.at(99));  // every run takes as long as the others
  EXPECT_EQ(result.as_given.finish.at(1), result.as_given.finish.at(99));
  const auto scheduling = std::ranges::find(result.levers.levers, "job.start.scheduling", &RankedLever::path);
  ASSERT_NE(scheduling, result.levers.levers.end());
  EXPECT_NEAR(*scheduling->gains.time_s.by, 10, 1e-6);  // half of its 20 s, in every run
  EXPECT_NEAR(scheduling->gains.time_s.ci95->low, 10, 1e-6);
  ASSERT_FALSE(result.one_more.empty());
  EXPECT_FALSE(result.one_more[0].share.by);
  EXPECT_LT(*result.one_more[0].mean.by, 0);
}

// David and Nagaraja, Order Statistics, sec. 7.1, and any table of signs: of 10 the median lies between the 2nd and the 9th with
// a probability of 1 - 2 x 11/1024 = 97.9%; of 20 between the 6th and the 15th, 95.9%; of 5 between no two with 95%.
TEST(Finish, IntervalsOfPercentilesAreThoseOfTheTables) {
  std::vector<double> finish;
  const auto of = [&](std::size_t runs) {
    finish.resize(runs);
    std::iota(finish.begin(), finish.end(), 1.0);
    return percentiles_with_intervals(finish);
  };
  EXPECT_FALSE(of(5).ci95_at(50));
  ASSERT_TRUE(of(10).ci95_at(50));
  EXPECT_EQ(of(10).ci95_at(50)->low, 2);
  EXPECT_EQ(of(10).ci95_at(50)->high, 9);
  EXPECT_EQ(of(20).ci95_at(50)->low, 6);
  EXPECT_EQ(of(20).ci95_at(50)->high, 15);
  // 0.95^n is at most 2.5% from 72 runs on.
  EXPECT_FALSE(of(71).ci95_at(95));
  EXPECT_TRUE(of(72).ci95_at(95));
  finish = {1, 2, 3, 4, 5, 6, 7, 8, kInfinity, kInfinity};
  EXPECT_TRUE(percentiles_with_intervals(finish).at(50));
  EXPECT_FALSE(percentiles_with_intervals(finish).ci95_at(50));  // its upper end is never
}

/// Exponential times, of which every percentile is known.
TEST(Finish, IntervalsOfPercentilesCoverTheTrueOnes) {
  constexpr int kRepetitions = 1000;
  constexpr std::size_t kRuns = 200;
  for (const std::size_t percent : {5U, 50U, 90U, 95U}) {
    const double truth = -std::log1p(-static_cast<double>(percent) / 100);
    int covered = 0;
    for (int i = 0; i < kRepetitions; ++i) {
      Stream chance({.study = 7, .replica = static_cast<std::uint32_t>(i)}, stream_name("test.percentiles"));
      std::vector<double> finish(kRuns);
      for (double& each : finish) each = -std::log(chance.uniform());
      const auto interval = percentiles_with_intervals(finish).ci95_at(percent);
      ASSERT_TRUE(interval);
      covered += interval->low <= truth && truth <= interval->high ? 1 : 0;
    }
    EXPECT_GE(covered, 936) << percent;  // 95% less two standard errors
    EXPECT_LE(covered, 985) << percent;  // not for being wide
  }
}

TEST(Finish, TheLatestRunsHaveAMeanUnlessOneOfThemNeverFinishes) {
  std::vector<double> finish(40);
  std::iota(finish.begin(), finish.end(), 1.0);
  EXPECT_EQ(percentiles_of(finish).worst_5_mean, 39.5);  // 39 and 40
  EXPECT_EQ(percentiles_of(finish).runs, 40U);
  finish[3] = kInfinity;
  EXPECT_EQ(percentiles_of(finish).worst_5_mean, std::nullopt);
  EXPECT_TRUE(percentiles_of(finish).at(95));
  finish.assign(19, 1.0);
  EXPECT_EQ(percentiles_of(finish).worst_5_mean, std::nullopt) << "too few";
  EXPECT_EQ(percentiles_of({}).worst_5_mean, std::nullopt);
}

TEST(Finish, RunsThatNeverFinishCountInQuantiles) {
  const std::vector<double> finish = {30, kInfinity, 10, 20};
  EXPECT_EQ(finish_quantile(finish, 0.5), 25);
  EXPECT_EQ(finish_quantile(finish, 1.0 / 3), 20);
  EXPECT_EQ(finish_quantile(finish, 0.95), std::nullopt);
  EXPECT_EQ(share_by(finish, 20).hits, 2U);
  EXPECT_LT(percentiles_of(finish).percentiles.size(), 70U);
  const std::vector<double> later = {40, kInfinity, kInfinity, 25};
  EXPECT_EQ(percentiles_of(finish).never, 1U);
  EXPECT_EQ(percentiles_of(later).never, 2U);
  // A run that never finishes is later than all others, not one that does not count.
  EXPECT_EQ(mean_change(finish, later).by, std::nullopt);
  EXPECT_EQ(mean_change(std::vector<double>{30, 10}, std::vector<double>{40, 25}).by, 12.5);
  EXPECT_EQ(share_change(finish, later, 30).by, -0.5);
}

TEST(Work, TokensBecomeStepsAndTheWindowAHorizon) {
  const auto scenario = *load_scenario("llama3-405b-54d", {}).scenario;
  const Work work = work_of(scenario, 11e12, std::chrono::hours(24 * 60));
  ASSERT_FALSE(work.problem);
  // 2,048 sequences of 8,192 tokens; 60 days eight times are 480 days, nine windows of 54.
  EXPECT_EQ(work.sets,
            (std::vector<std::string>{"job.steps=655652", "job.window=486d", "job.planned.count=423"}));
  const Work none = work_of(scenario, std::nullopt, std::chrono::hours(1));
  ASSERT_TRUE(none.problem);
  EXPECT_NE(none.problem->text().find("--tokens"), std::string::npos);
}

/// What `run` accepts as job.tokens, `plan` accepts as --tokens.
TEST(Work, OfOneStepIsWorkToo) {
  const LoadedScenario loaded =
      load_scenario("scenarios/tiny-8.toml",
                    std::vector<std::string>{"job.window=0s", "job.planned.times=[]", "job.tokens=1"});
  ASSERT_TRUE(loaded.scenario) << loaded.problems.front().text();
  const Work work = work_of(*loaded.scenario, 1.0, Duration::zero());
  ASSERT_FALSE(work.problem);
  EXPECT_EQ(work.sets, (std::vector<std::string>{"job.steps=1", "job.window=1d"}));
  std::vector<std::string> sets = {"job.planned.times=[]"};
  sets.insert(sets.end(), work.sets.begin(), work.sets.end());
  EXPECT_TRUE(load_scenario("scenarios/tiny-8.toml", sets).scenario);
  // A written interval is no longer than the horizon that nobody wrote.
  sets = {"job.window=0s", "job.planned.times=[]", "job.tokens=1", "checkpoint.interval=5d"};
  const Work rarely = work_of(*load_scenario("scenarios/tiny-8.toml", sets).scenario, 1.0, Duration::zero());
  EXPECT_EQ(rarely.sets.back(), "job.window=5d");
  // Nor is a planned stop after it.
  sets = {"job.window=0s", "job.tokens=1", "job.planned.times=[\"9d\"]"};
  const Work stops = work_of(*load_scenario("scenarios/tiny-8.toml", sets).scenario, 1.0, Duration::zero());
  EXPECT_EQ(stops.sets.back(), "job.window=10d");
}

TEST(Work, TooMuchNamesItsLimitAsItWasGiven) {
  const auto scenario = *load_scenario("llama3-405b-54d", {}).scenario;
  const Work work = work_of(scenario, 1e30, Duration::zero());
  ASSERT_TRUE(work.problem);
  const std::string text = work.problem->text();
  EXPECT_NE(text.find("has 5.96e+22 steps, more than 1e+12"), std::string::npos)
      << text;  // 1e30 / (2048 x 8192)
  const std::size_t at = text.find("at most ") + 8;
  const double most = *parse_tokens(text.substr(at, text.find(" tokens", at) - at)).value;
  EXPECT_FALSE(work_of(scenario, most, Duration::zero()).problem);
  EXPECT_TRUE(work_of(scenario, 1.02 * most, Duration::zero()).problem);
}

}  // namespace
}  // namespace gauntlet
