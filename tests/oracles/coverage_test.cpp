// Whether a 95% interval covers the truth 95% of the time: 2,000 studies of 30 replicas each, every study with a seed of
// its own, of a world whose means are known in closed form (commands/validate/oracles/closed_forms.hpp).
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
// are 3.1 of them away. Student's t is exact for normal values alone, and replicas of a dozen failures come near enough.
//
// With half the work and intervals of 10 and 20 min, two replicas of three have as many failures in both jobs. If an
// interval were given for the difference of their means whatever the pairs, 0.924 would cover it: where few differ,
// their scatter is found too small. paired_difference gives none then; of those that it gives at least as many cover as
// they say. (Of ratios, whose pairs nearly all differ, these short runs cover 0.940 and 0.922.)
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
constexpr double kMtbf = 60, kDown = 1, kRestart = 3, kStep = 5;  // minutes
constexpr double kLowest = 0.935, kHighest = 0.965;

/// Of both jobs; minutes.
struct Jobs {
  double work = 0;
  std::array<double, 2> intervals = {};
};

// Of one replica; the denominators of a metric that is not a ratio are 1.
constexpr std::array<const char*, 3> kMetrics = {"interruptions", "ettr", "mttf_s"};
using Measured = std::array<Fraction, kMetrics.size()>;
using Exact = std::array<double, kMetrics.size()>;

Exact exact_means(double work, double interval) {
  const double segments = work / interval;
  const double start = std::expm1(kRestart / kMtbf);
  const double failures = start + segments * std::exp(kRestart / kMtbf) * std::expm1(interval / kMtbf);
  const double wall = (kMtbf + kDown) * failures;
  return {failures, work / wall, 60 * (kMtbf + kDown)};
}

World world_under_test(double work) {
  World world = one_fault_world(1, Law::exponential(60 * kMtbf));
  world.job.step_time = from_seconds(60 * kStep);
  world.job.steps = static_cast<std::int64_t>(work / kStep);
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
  std::array<std::uint32_t, kMetrics.size()> given = {}, covered = {};

  void add(std::size_t metric, const std::optional<Interval>& interval, double exact) {
    if (!interval) return;
    ++given[metric];
    if (interval->low <= exact && exact <= interval->high) ++covered[metric];
  }
  double share(const std::string& what, std::size_t metric) const {
    const double share = covered[metric] / double(given[metric]);
    std::printf("%s of %s: %.4f of %u intervals cover it (standard error of 2,000: 0.0049)\n", what.c_str(),
                kMetrics[metric], share, given[metric]);
    return share;
  }
  void expect_of(const std::string& what, std::size_t metric) const {
    EXPECT_EQ(given[metric], kStudies) << what << " of " << kMetrics[metric];
    const double share = this->share(what, metric);
    EXPECT_GE(share, kLowest) << what << " of " << kMetrics[metric];
    EXPECT_LE(share, kHighest) << what << " of " << kMetrics[metric];
  }
};

struct Covered {
  std::array<Coverage, 2> mean;  // by job
  Coverage difference;
};

Covered cover(const Jobs& jobs) {
  const World world = world_under_test(jobs.work);
  ScenarioFacts facts;
  facts.gpus = facts.hosts = 1;
  facts.faults = {"fault"};
  const std::vector<Metric> metrics = metrics_of(facts);
  std::array<PolicyConstants, 2> policies;
  std::array<Exact, 2> exact;
  for (std::size_t job = 0; job < 2; ++job) {
    policies[job] = instant_policies(from_seconds(60 * jobs.intervals[job]));
    exact[job] = exact_means(jobs.work, jobs.intervals[job]);
  }
  std::array<Simulation, 2> simulations = {Simulation(world, policies[0]), Simulation(world, policies[1])};

  Covered out;
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
        out.mean[job].add(i, statistics[i].statistics().ci95, exact[job][i]);
    }
    // Both jobs have the same mean time to failure.
    for (std::size_t i = 0; i < kMetrics.size(); ++i)
      out.difference.add(i, paired_difference(values[0][i], values[1][i]).ci95, exact[1][i] - exact[0][i]);
  }
  return out;
}

TEST(Coverage, IntervalsCoverTheTruthAsOftenAsTheySay) {
  const Covered of = cover({.work = 600, .intervals = {10, 60}});
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    of.mean[0].expect_of("the mean", i);
    of.mean[1].expect_of("the other mean", i);
    of.difference.expect_of("the paired difference", i);
  }
}

TEST(Coverage, IntervalsOfADifferenceThatFewPairsShowAreNotGivenOrCover) {
  const Covered of = cover({.work = 300, .intervals = {10, 20}});
  EXPECT_GT(of.difference.given[0], kStudies / 4);
  EXPECT_LT(of.difference.given[0], kStudies * 3 / 4);
  EXPECT_GE(of.difference.share("the paired difference", 0), kLowest);
}

}  // namespace
}  // namespace gauntlet
