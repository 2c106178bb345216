#include "commands/compare/compare.hpp"

#include "commands/compare/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// An experiment on the smallest shipped scenario, changed, under one seed.
class Lab {
 public:
  explicit Lab(std::uint64_t seed, const std::atomic<bool>* stop = nullptr)
      : seed_(seed),
        source_("scenarios/tiny-8.toml", {"spares.count=4"}, seed),
        store_(Store::temporary(
            {.command = "compare", .arguments = "", .version = "", .seed = seed, .scenario = "", .text = ""},
            kFaults)),
        executor_(make_thread_executor({.seed = seed}, 2)),
        experiment_(*executor_, *store_, {.stop = stop, .progress = {}}) {}

  ComparedPoint add(const Settings& settings) {
    LoadedPoint loaded = source_.point(settings);
    if (!loaded.point) throw std::runtime_error(loaded.problems.at(0).text());
    return {.point = experiment_.add(loaded.point),
            .label = settings_text(settings),
            .command = "",
            .settings = settings};
  }
  CompareResult compare(const Settings& first, const Settings& second, std::uint32_t replicas) {
    const std::vector<ComparedPoint> points = {add(first), add(second)};
    return gauntlet::compare(experiment_, points, replicas, seed_);
  }
  Experiment& experiment() { return experiment_; }

 private:
  inline static const std::vector<std::string> kFaults = {"gpu_lost",  "host_down", "process_stuck",
                                                          "slow_host", "link_flap", "fire"};
  std::uint64_t seed_;
  PointSource source_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<Executor> executor_;
  Experiment experiment_;
};

double sum_of(const std::vector<LossDifference>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0, [](double sum, const LossDifference& part) {
    return sum + part.of.difference.value_or(0);
  });
}

TEST(Compare, CommonRandomNumbersCutTheVarianceOfACheckpointsCost) {
  // A checkpoint that blocks for 60 s against one that blocks for 5 s, as often: what the faults cost is much the same.
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    Lab lab(seed);
    const CompareResult result = lab.compare({{"storage.stall", "5s"}}, {{"storage.stall", "60s"}}, 40);
    const Comparison& comparison = result.comparisons.at(0);
    const auto ettr = comparison.find("ettr")->of.variance_factor, lost = comparison.lost.of.variance_factor;
    ASSERT_TRUE(ettr && lost) << "seed " << seed;
    EXPECT_GE(*ettr, 5) << "seed " << seed;
    EXPECT_GE(*lost, 5) << "seed " << seed;
    EXPECT_GT(comparison.lost.of.ci95->low, 0) << "seed " << seed;
    EXPECT_EQ(comparison.because.at(0).cause, "checkpoint") << "seed " << seed;
    EXPECT_EQ(comparison.because.at(0).phase, Phase::checkpoint_stall) << "seed " << seed;
  }
}

TEST(Compare, ItsPartsAddUpToWhatWasNotTrained) {
  Lab lab(7);
  const CompareResult result = lab.compare({}, {{"checkpoint.interval", "2h"}, {"spares.count", "0"}}, 300);
  const Comparison& comparison = result.comparisons.at(0);
  ASSERT_EQ(comparison.basis, Basis::run) << "a window of a week, in both";
  const double all = *comparison.lost.of.difference;
  // But for parts that are equal in every pair, which differ by nothing though both means have controls of their own.
  double equal = 0;
  for (const LossDifference& part : comparison.by_cause)
    if (*part.of.difference == 0) equal += part.second - part.first;
  EXPECT_NEAR(sum_of(comparison.by_cause) + equal, all, 1e-6);
  EXPECT_LT(std::abs(equal), 1e-6 * all);
  EXPECT_NEAR(sum_of(comparison.because), all, 1e-6 + std::abs(equal));
  EXPECT_NEAR(sum_of(comparison.by_phase), all, 1e-6 + std::abs(equal));
  EXPECT_GT(all, 0);
  // ETTR is effective / wall, and the wall time of both is a week.
  EXPECT_NEAR(*comparison.find("ettr")->of.difference * 7 * 86400, -all, 1e-6);
  for (std::size_t i = 1; i < comparison.because.size(); ++i)
    EXPECT_GE(std::abs(*comparison.because[i - 1].of.difference),
              std::abs(*comparison.because[i].of.difference));
  // Each figure's difference is that of the means that stand beside it.
  for (const MetricDifference& metric : comparison.metrics)
    if (metric.of.difference) {
      if (*metric.of.difference != 0) {
        EXPECT_EQ(*metric.second - *metric.first, *metric.of.difference) << metric.name;
      }
      EXPECT_EQ(metric.first, result.scenarios[0].summary.mean(metric.name)) << metric.name;
    }
}

TEST(Compare, ShowsTheReplicaThatIsNearestToTheMeanDifference) {
  constexpr std::uint32_t kReplicas = 25;
  Lab lab(5);
  const CompareResult result = lab.compare({}, {{"detection.hang_timeout", "2h"}}, kReplicas);
  using Cells = std::map<std::pair<std::size_t, std::size_t>, double>;  // by cause and phase
  std::vector<Cells> apart(kReplicas);
  const auto collect = [&](PointNumber point, double sign) {
    lab.experiment().visit(point, kReplicas, [&](std::uint32_t replica, const Figures& figures) {
      for (std::size_t cause = 0; cause < figures.lost.size(); ++cause)
        for (std::size_t phase = 0; phase < kPhases; ++phase)
          apart[replica][{cause, phase}] += sign * to_seconds(figures.lost[cause][phase]);
    });
  };
  collect(0, -1);
  collect(1, 1);
  Cells mean;
  for (const Cells& each : apart)
    for (const auto& [cell, seconds] : each) mean[cell] += seconds / kReplicas;
  std::vector<double> distances;
  for (const Cells& each : apart) {
    distances.push_back(0);
    for (const auto& [cell, seconds] : each) distances.back() += std::abs(seconds - mean[cell]);
  }
  const ShownReplica& shown = *result.comparisons.at(0).shown;
  const double least = *std::min_element(distances.begin(), distances.end());
  EXPECT_NEAR(distances.at(shown.replica), least, 1e-6);

  // It is run again with its incidents, which lost no more than the run did.
  lab.experiment().visit(0, kReplicas, [&](std::uint32_t replica, const Figures& figures) {
    if (replica == shown.replica) {
      EXPECT_EQ(figures.fingerprint, shown.first.fingerprint);
    }
  });
  PhaseTimes of_incidents{};
  for (const IncidentPair& pair : shown.incidents)
    for (std::size_t phase = 0; pair.second && phase < kPhases; ++phase)
      of_incidents[phase] += pair.second->lost[phase];
  EXPECT_FALSE(shown.incidents.empty());
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    EXPECT_LE(of_incidents[phase], shown.second.phases[phase]);
}

TEST(Compare, AFaultThatOneScenarioDoesNotKnowCountsAsNothingThere) {
  Lab lab(3);
  const CompareResult result =
      lab.compare({}, {{"faults.fire", R"({component = "host", mtbf = "20d", effect = "crash"})"}}, 20);
  const Comparison& comparison = result.comparisons.at(0);
  const MetricDifference* fires = comparison.find("faults.fire");
  ASSERT_NE(fires, nullptr);
  EXPECT_FALSE(fires->in_first);
  EXPECT_TRUE(fires->in_second);
  EXPECT_EQ(fires->first, 0);
  EXPECT_EQ(*fires->of.difference, *fires->second);
  EXPECT_GT(*fires->second, 0);
  for (const LossDifference& cause : comparison.by_cause) {
    if (cause.cause != "fire") continue;
    EXPECT_EQ(cause.first, 0);
    EXPECT_GT(cause.second, 0);
    return;
  }
  ADD_FAILURE() << "fires cost nothing";
}

TEST(Compare, SaysOverWhatLossesAreComparable) {
  const auto basis = [](const Settings& first, const Settings& second) {
    Lab lab(9);
    return lab.compare(first, second, 6).comparisons.at(0).basis;
  };
  const Settings slow = {{"storage.stall", "60s"}};
  const auto with = [&](Settings more) {
    more.insert(more.end(), slow.begin(), slow.end());
    return more;
  };
  EXPECT_EQ(basis({}, slow), Basis::run);
  const Settings work = {{"job.steps", "200_000"}, {"job.window", "\"60d\""}};
  EXPECT_EQ(basis(work, with(work)), Basis::work);
  EXPECT_EQ(basis(work, with({{"job.steps", "210_000"}, {"job.window", "\"60d\""}})), Basis::day);
  EXPECT_EQ(basis({}, with({{"job.window", "6d"}})), Basis::day);
}

TEST(Compare, LeavesCostsInTwoCurrenciesApart) {
  Lab lab(9);
  const CompareResult result = lab.compare({}, {{"cost.gpu_hour", "3EUR"}, {"storage.stall", "60s"}}, 6);
  const MetricDifference* cost = result.comparisons.at(0).find("cost");
  EXPECT_TRUE(cost->first && cost->second) << "each has its own";
  EXPECT_FALSE(cost->of.difference);
  EXPECT_FALSE(result.comparisons.at(0).find("cost.per_effective_gpu_hour")->of.difference);
  EXPECT_TRUE(result.comparisons.at(0).find("gpu_hours")->of.difference);
  const std::vector<std::string> notes = {
      "Costs are not compared: those of A are in USD, and those of B in EUR; no exchange rates are known."};
  EXPECT_EQ(result.notes, notes);
  EXPECT_NE(text_report(result, {}).find("Costs are not compared"), std::string::npos);
  EXPECT_EQ(text_report(result, {}).find("B costs"), std::string::npos);

  const CompareResult one = lab.compare({{"cost.gpu_hour", "2EUR"}}, {{"cost.gpu_hour", "3EUR"}}, 6);
  EXPECT_TRUE(one.notes.empty());
  // Of the same hours, half as much again.
  EXPECT_NEAR(*one.comparisons.at(0).find("cost")->of.difference,
              0.5 * *one.comparisons.at(0).find("cost")->first, 1e-6);
  EXPECT_NE(text_report(one, {}).find(" EUR"), std::string::npos);
  EXPECT_EQ(text_report(one, {}).find("USD"), std::string::npos);
  // Where one has no price there is no cost, and nothing to say about it.
  EXPECT_TRUE(lab.compare({}, {{"cost.gpu_hour", "0EUR"}}, 6).notes.empty());
}

TEST(Compare, StoppedBeforeAnyPairComparesNothing) {
  std::atomic<bool> stop = true;
  Lab lab(1, &stop);
  const CompareResult result = lab.compare({}, {{"spares.count", "0"}}, 20);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.replicas, 0U);
  EXPECT_TRUE(result.comparisons.empty());
}

}  // namespace
}  // namespace gauntlet
