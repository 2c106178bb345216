// scenarios/rsc1.toml against closed forms. The scenario has exponential failures of mean time M between them, a
// checkpoint that costs nothing after every tau of training, and restarts that take R.
//
// A segment is tau of training, tried until no failure strikes within it. Tries begin at a renewal, so that n failures come
// before success with probability (1 - p)^n p, p = exp(-tau / M); their mean number is exp(tau / M) - 1. A failed try lasts
// E[X | X < tau] = M - tau / (exp(tau / M) - 1) in training, then the job restarts:
//
//   - failures strike while it trains alone (clock = "training"): each restart takes R, and
//       E[T] = tau + (exp(tau / M) - 1) (M - tau / (exp(tau / M) - 1) + R) = (M + R) (exp(tau / M) - 1);
//   - they strike always: a restart is tried until R passes without one, which takes M (exp(R / M) - 1) in the mean, so
//       E[T] = (M + M (exp(R / M) - 1)) (exp(tau / M) - 1) = M exp(R / M) (exp(tau / M) - 1),
//     Daly's complete model (FGCS 22(3), 2006) with no cost of checkpoints.
//
// ETTR = tau / E[T] in the long run. A job of n segments takes its first start and n E[T]. With N = 2,000 hosts, r = 6.5
// failures in 1,000 host-days, M = 1 / (N r) = 110.77 min, tau = R = 5 min: 0.9345 and 0.9354. What the paper prints is of
// first order, 1 - N r (R + tau / 2) = 0.9323 (https://arxiv.org/abs/2410.21680), and the simulation tells them apart.
#include "config/scenario.hpp"
#include "study/replica.hpp"
#include "study/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint64_t kSeeds[] = {1, 2, 3};
constexpr double kRate = 6.5 / 1000 / 1440;        // failures per host-minute
constexpr double kInterval = 5, kRestartTime = 5;  // minutes

Scenario rsc1(std::vector<std::string> sets) {
  LoadedScenario loaded = load_scenario("scenarios/rsc1.toml", sets);
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.text();
  return std::move(loaded.scenario).value();
}

std::vector<std::string> of_hosts(std::uint32_t hosts) {
  return {"cluster.hosts=" + std::to_string(hosts), "job.layout.dp=" + std::to_string(hosts),
          "job.global_batch=" + std::to_string(8 * hosts)};
}

template <class Of>
Statistics measure(const Scenario& scenario, std::uint64_t seed, std::uint32_t replicas, const Of& of) {
  Simulation simulation(scenario.world, scenario.policies);
  MetricStatistics statistics;
  for (std::uint32_t replica = 0; replica < replicas; ++replica)
    statistics.add(of(simulation.run({.seed = seed, .replica = replica})));
  return statistics.statistics();
}

double z(const Statistics& measured, double exact) { return (*measured.mean - exact) / *measured.se; }

struct Clock {
  const char* name;
  double ettr;  // as rounded in the issue of the simulation's claims
};

TEST(Rsc1, TrainsAsMuchAsTheClosedFormsSay) {
  constexpr std::int64_t kSegments = 10'000, kStepsOfSegment = 20;
  constexpr std::uint32_t kReplicas = 300;
  const double m = 1 / (2000 * kRate);
  const double first_order = 1 - (kRestartTime + kInterval / 2) / m;
  ASSERT_NEAR(first_order, 0.9323, 5e-5);
  for (const Clock clock : {Clock{"always", 0.9345}, Clock{"training", 0.9354}}) {
    const bool always = clock.name == std::string("always");
    const double start = always ? m * std::expm1(kRestartTime / m) : kRestartTime;
    const double segment = (m + start) * std::expm1(kInterval / m);
    ASSERT_NEAR(kInterval / segment, clock.ettr, 5e-5);
    // A given amount of work has an exact mean duration; without the spare, which a failure strikes once in 2,001.
    const Scenario scenario =
        rsc1({std::string("faults.node_failure.clock=") + clock.name, "job.window=0s", "spares.count=0",
              "job.steps=" + std::to_string(kSegments * kStepsOfSegment)});
    for (const std::uint64_t seed : kSeeds) {
      const Statistics wall = measure(scenario, seed, kReplicas, [&](const Figures& figures) {
        EXPECT_EQ(figures.ending, Ending::completed);
        return Fraction{.numerator = to_seconds(figures.wall) / 60};
      });
      const double exact = start + kSegments * segment;
      const double ettr = kSegments * kInterval / *wall.mean;
      const double error = ettr * *wall.se / *wall.mean;
      std::printf("%s, seed %llu: ETTR %.5f, exact %.5f, standard error %.5f, z %+.2f\n", clock.name,
                  static_cast<unsigned long long>(seed), ettr, kSegments * kInterval / exact, error,
                  z(wall, exact));
      EXPECT_LT(std::abs(z(wall, exact)), 4) << clock.name << ", seed " << seed;
      EXPECT_LT(error, 0.0002);  // the two clocks are 0.0009 apart, the first-order formula 0.002
      EXPECT_NEAR(ettr, clock.ettr, 0.001);
      EXPECT_GT((ettr - first_order) / error, 4) << "the first-order formula is not exact";
    }
  }
}

TEST(Rsc1, FailsAsOftenAsThePaperProjects) {
  struct Size {
    std::uint32_t hosts, replicas;
    double hours;
  };
  for (const Size size : {Size{2048, 400, 1.803}, Size{16384, 60, 0.2254}}) {
    const double exact = 1 / (size.hosts * kRate) / 60;
    ASSERT_NEAR(exact, size.hours, 0.0005 * size.hours);
    const Scenario scenario = rsc1(of_hosts(size.hosts));  // with its spare
    for (const std::uint64_t seed : kSeeds) {
      const Statistics mttf = measure(scenario, seed, size.replicas, [](const Figures& figures) {
        const double hours = to_seconds(figures.wall) / 3600;
        return Fraction{.numerator = hours, .denominator = 3600 * hours * figures.unplanned_rate};
      });
      std::printf("%u GPUs, seed %llu: MTTF %.4f h, exact %.4f, standard error %.4f, z %+.2f\n",
                  8 * size.hosts, static_cast<unsigned long long>(seed), *mttf.mean, exact, *mttf.se,
                  z(mttf, exact));
      EXPECT_NEAR(*mttf.mean, size.hours, 0.01 * size.hours) << 8 * size.hosts << " GPUs, seed " << seed;
      EXPECT_LT(std::abs(z(mttf, exact)), 4) << 8 * size.hosts << " GPUs, seed " << seed;
      EXPECT_LT(*mttf.se, 0.004 * exact);
    }
  }
}

}  // namespace
}  // namespace gauntlet
