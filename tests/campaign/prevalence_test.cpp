// Components that have an ageing fault from the beginning fail no more; the others fail when the plan of the same seed says.
#include "core/record/truth.hpp"
#include "sim/faults/fault_plan.hpp"
#include "study/replica.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

using Onsets = std::vector<std::pair<Time, std::uint32_t>>;  // when, and of which host

/// Twenty hosts that live for about 100 h and wear out. Their fault disturbs nobody and shows nowhere, so that nothing renews them.
World worn_out(double prevalence) {
  World world = one_fault_world(20, Law::weibull(100 * 3600, 3));
  world.faults[0].effect = Effect::none;
  world.faults[0].symptoms = {};
  world.faults[0].prevalence = Probability{prevalence};
  world.job.step_time = std::chrono::seconds(10);
  world.job.window = std::chrono::hours(1000);
  return world;
}

Onsets simulated(const World& world, std::uint64_t seed) {
  const PolicyConstants policies = instant_policies(std::chrono::hours(1));
  Simulation simulation(world, policies);
  simulation.run({.seed = seed, .replica = 0});
  Onsets onsets;
  for (const Truth& each : simulation.cluster().truth())
    if (each.what == TruthKind::onset) onsets.emplace_back(each.at, each.component.index);
  return onsets;
}

TEST(Prevalence, WhoIsHitFromTheBeginningFailsNoMore) {
  for (const double prevalence : {0.1, 0.5, 0.95, 1.0}) {
    const World world = worn_out(prevalence);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Onsets planned;
      for (const PlannedFault& each : draw_plan(world, Seed{seed, 0}, kStart + world.job.window))
        planned.emplace_back(each.at, each.component.index);
      EXPECT_EQ(simulated(world, seed), planned) << prevalence << ", seed " << seed;
      EXPECT_EQ(planned.size(), 20u);
    }
  }
}

}  // namespace
}  // namespace gauntlet
