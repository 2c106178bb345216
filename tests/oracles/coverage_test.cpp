// Whether a 95% interval covers the truth 95% of the time: 2,000 studies of 30 replicas each, every study with a seed of
// its own, of a world whose means are known in closed form (segment_time_test.cpp).
//
// One host fails after M in the mean, is repaired for D and restarts in R; failures strike while it trains and restarts. A
// job of n segments of length tau takes
//
//   E[wall] = (M + D) f,   f = exp(R / M) - 1 + n exp(R / M) (exp(tau / M) - 1) = E[interruptions],
//
// the first term of f being the first start: a host that is not in repair fails every M. So ETTR is n tau / E[wall] and the
// mean time to failure E[wall] / f = M + D, both ratios of means. Two such jobs that do the same work under the same faults,
// with intervals of different length, differ by the difference of these.
//
// Of 2,000 intervals that cover with probability 0.95, the share that does has a standard error of 0.0049; 0.935 and 0.965
// are 3.1 of them away. Student's t is exact for normal values alone. Replicas of a dozen failures come near enough; where
// most pairs do not differ at all (half the work, intervals of 10 and 20 min), 0.924 of the differences' intervals cover.
#include "study/paired.hpp"
#include "study/replica.hpp"
#include "study/statistics.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint64_t kFirstSeed = 1'000;
constexpr std::uint32_t kStudies = 2'000, kReplicas = 30;
constexpr double kMtbf = 60, kDown = 1, kRestart = 3, kWork = 600, kStep = 5;  // minutes
constexpr std::array<double, 2> kIntervals = {10, 60};                         // minutes, of the two jobs

// Of one replica; the denominators of a metric that is no ratio are 1.
constexpr std::array<const char*, 3> kMetrics = {"interruptions", "ettr", "mttf_s"};
using Measured = std::array<Fraction, kMetrics.size()>;
using Exact = std::array<double, kMetrics.size()>;

Exact exact_means(double interval) {
  const double segments = kWork / interval;
  const double start = std::expm1(kRestart / kMtbf);
  const double failures = start + segments * std::exp(kRestart / kMtbf) * std::expm1(interval / kMtbf);
  const double wall = (kMtbf + kDown) * failures;
  return {failures, kWork / wall, 60 * (kMtbf + kDown)};
}

World world_under_test() {
  World world = one_fault_world(1, Law::exponential(60 * kMtbf));
  world.job.step_time = from_seconds(60 * kStep);
  world.job.steps = static_cast<std::int64_t>(kWork / kStep);
  world.job.start.scheduling = Law::constant(60 * kRestart);
  world.repair.time = Law::constant(60 * kDown);
  return world;
}

Measured measured(const std::vector<Metric>& metrics, const Figures& figures) {
  Measured out;
  for (std::size_t i = 0; i < kMetrics.size(); ++i)
    for (const Metric& metric : metrics)
      if (metric.name == kMetrics[i]) out[i] = metric.of(figures);
  return out;
}

// Shares of the studies whose interval holds the exact value, by metric.
struct Coverage {
  std::array<std::uint32_t, kMetrics.size()> covered = {};

  void add(std::size_t metric, const std::optional<Interval>& interval, double exact) {
    ASSERT_TRUE(interval) << kMetrics[metric];
    if (interval->low <= exact && exact <= interval->high) ++covered[metric];
  }
  void expect_of(const std::string& what, std::size_t metric) const {
    const double share = covered[metric] / double{kStudies};
    std::printf("%s of %s: %.4f of %u intervals cover it (standard error 0.0049)\n", what.c_str(),
                kMetrics[metric], share, kStudies);
    EXPECT_GE(share, 0.935) << what << " of " << kMetrics[metric];
    EXPECT_LE(share, 0.965) << what << " of " << kMetrics[metric];
  }
};

TEST(Coverage, IntervalsCoverTheTruthAsOftenAsTheySay) {
  const World world = world_under_test();
  ScenarioFacts facts;
  facts.gpus = facts.hosts = 1;
  facts.faults = {"fault"};
  const std::vector<Metric> metrics = metrics_of(facts);
  std::array<PolicyConstants, 2> policies;
  std::array<Exact, 2> exact;
  for (std::size_t job = 0; job < 2; ++job) {
    policies[job] = instant_policies(from_seconds(60 * kIntervals[job]));
    exact[job] = exact_means(kIntervals[job]);
  }
  std::array<Simulation, 2> simulations = {Simulation(world, policies[0]), Simulation(world, policies[1])};

  std::array<Coverage, 2> of_mean;
  Coverage of_difference;
  for (std::uint32_t study = 0; study < kStudies; ++study) {
    std::array<std::array<std::vector<Fraction>, kMetrics.size()>, 2> values;
    for (std::size_t job = 0; job < 2; ++job) {
      std::array<MetricStatistics, kMetrics.size()> statistics;
      for (std::uint32_t replica = 0; replica < kReplicas; ++replica) {
        const Measured one =
            measured(metrics, simulations[job].run({.seed = kFirstSeed + study, .replica = replica}));
        for (std::size_t i = 0; i < kMetrics.size(); ++i) {
          statistics[i].add(one[i]);
          values[job][i].push_back(one[i]);
        }
      }
      for (std::size_t i = 0; i < kMetrics.size(); ++i)
        of_mean[job].add(i, statistics[i].statistics().ci95, exact[job][i]);
    }
    // Both jobs have the same mean time to failure.
    for (std::size_t i = 0; i < kMetrics.size(); ++i)
      of_difference.add(i, paired_difference(values[0][i], values[1][i]).ci95, exact[1][i] - exact[0][i]);
  }
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    of_mean[0].expect_of("the mean", i);
    of_mean[1].expect_of("the other mean", i);
    of_difference.expect_of("the paired difference", i);
  }
}

}  // namespace
}  // namespace gauntlet
