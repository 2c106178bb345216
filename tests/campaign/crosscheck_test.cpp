// Agreement with two other simulators on their published examples, with few replicas: `gauntlet validate policies` runs more.
// What differs between the models is said in the scenarios. Clock: training; spares are immune.
#include "config/scenario.hpp"
#include "policies/controller.hpp"
#include "sim/replica.hpp"
#include "study/replica.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>

namespace gauntlet {
namespace {

constexpr std::uint64_t kCrosscheckSeeds[] = {1, 2, 3};

/// A mean with its standard error.
class Sample {
 public:
  void add(double value) {
    ++n_;
    sum_ += value;
    squares_ += value * value;
  }
  double mean() const { return sum_ / n_; }
  double error() const { return std::sqrt((squares_ - sum_ * mean()) / (n_ - 1) / n_); }

 private:
  double n_ = 0, sum_ = 0, squares_ = 0;
};

struct Measured {
  Sample hours, share, failures, manual, held, silent, selections, preemptions;
};

Measured measure(const std::string& name, std::uint32_t replicas_each_seed) {
  const LoadedScenario loaded = load_scenario("scenarios/crosscheck/" + name + ".toml", {});
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << problem.text();
  Measured all;
  if (!loaded.scenario) return all;
  const World& world = loaded.scenario->world;
  const ScoreFacts facts = score_facts(world);
  SimCluster cluster(world);
  Record record;
  Figures figures;
  for (const std::uint64_t seed : kCrosscheckSeeds) {
    for (std::uint32_t replica = 0; replica < replicas_each_seed; ++replica) {
      Controller controller(loaded.scenario->policies);
      run_replica(cluster, controller, {.study = seed, .replica = replica}, false, record);
      score(facts, cluster.truth(), cluster.progress(), record, figures);
      all.hours.add(to_seconds(figures.wall) / 3600);
      all.share.add(to_seconds(at(figures.phases, Phase::effective)) / to_seconds(figures.wall));
      all.failures.add(figures.interruptions);
      all.manual.add(cluster.repairs_done().manual);
      all.held.add(cluster.repairs_done().held);
      all.silent.add(cluster.repairs_done().silent);
      all.selections.add(cluster.spares_used().selections);
      all.preemptions.add(cluster.spares_used().preemptions);
    }
  }
  return all;
}

TEST(Crosscheck, AIReSimsDefault) {
  constexpr double kSeeds = 30;  // behind what is published
  const Measured ours = measure("airesim-default", 2);
  const auto agrees = [](const char* what, const Sample& of, double published, double share) {
    const double error = of.error();
    std::printf("%-16s %10.4f +- %.4f, AIReSim %10.4f: %+.2f%%\n", what, of.mean(), error, published,
                100 * (of.mean() / published - 1));
    EXPECT_LT(error, 0.006 * published) << what;
    EXPECT_LT(std::abs(of.mean() - published), share * published + 4 * error) << what;
  };
  agrees("hours", ours.hours, 9865.97, 0.01);
  agrees("work share", ours.share, 0.6228, 0.01);
  agrees("failures", ours.failures, 11145.6, 0.01);
  agrees("manual repairs", ours.manual, 8922.9, 0.03);
  agrees("repairs held", ours.held, 8469.4, 0.03);
  agrees("repairs failed", ours.silent, 2676.2, 0.03);
  std::printf("host selections %.1f (AIReSim 42.9, the first included), preemptions %.1f (13.9)\n",
              ours.selections.mean(), ours.preemptions.mean());
  // AIReSim's +- is the deviation of one run.
  const double z = (ours.hours.mean() - 9865.97) / std::hypot(ours.hours.error(), 33.60 / std::sqrt(kSeeds));
  std::printf("hours: z = %.2f\n", z);
  EXPECT_LT(std::abs(z), 4);
}

TEST(Crosscheck, MtbisExampleAndItsVariants) {
  struct Case {
    const char* name;
    double goodput;    // to which it converges
    double published;  // over 20 seeds
    double error;      // of one run of ours
  };
  constexpr Case kCases[] = {{"mtbi-base", 0.802, 0.796, 0.022},
                             {"mtbi-interval-91min", 0.857, 0.851, 0.024},
                             {"mtbi-half-minute-write", 0.923, 0.917, 0.024},
                             {"mtbi-no-spares", 0.354, 0.361, 0.11},
                             {"mtbi-fast-detection", 0.811, 0.806, 0.022}};
  constexpr std::uint32_t kReplicas = 150;
  for (const Case& each : kCases) {
    const Sample share = measure(each.name, kReplicas).share;
    std::printf("%-24s %.4f +- %.4f, MTBI %.3f (published %.3f)\n", each.name, share.mean(), share.error(),
                each.goodput, each.published);
    EXPECT_LT(share.error(), each.error / std::sqrt(std::size(kCrosscheckSeeds) * kReplicas)) << each.name;
    EXPECT_LT(std::abs(share.mean() - each.goodput), 0.003 + 4 * share.error()) << each.name;
  }
}

}  // namespace
}  // namespace gauntlet
