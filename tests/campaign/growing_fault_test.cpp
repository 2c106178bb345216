// A slow fault that becomes slower: the truth says so, and it pays for what it costs from then on.
#include "models/step/step.hpp"
#include "tests/campaign/small_worlds.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gauntlet {
namespace {

TEST(AGrowingFault, PaysForWhatItCostsOnceItIsTheWorst) {
  World world = eight_hosts();
  world.job.window = 12 * kHour;
  FaultKind steady;
  steady.name = "steady";
  steady.effect = Effect::slow;
  steady.factor = 1.3;
  steady.trace = {{kStart + kHour, 1}};
  FaultKind growing = steady;
  growing.name = "growing";
  growing.factor = 1.2;
  growing.grows_every = 4 * kHour;
  growing.trace = {{kStart + 2 * kHour, 5}};
  add_faults(world, {steady, growing}, 1);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});

  std::vector<double> factors;
  for (const Truth& each : simulation.cluster().truth())
    if (each.kind == FaultKindId{1}) factors.push_back(each.factor);
  const StepModel model(world);
  const double healthy = to_seconds(model.healthy());
  ASSERT_EQ(factors.size(), 3u);
  double slower = 1;
  for (const double factor : factors) {
    ClusterState alone;
    alone.slow.push_back({5, kWholeHost, slow_in(Segment::all, slower *= 1.2)});
    EXPECT_NEAR(factor, to_seconds(model.evaluate(alone).total) / healthy, 1e-9);
  }

  // Until 6 h the steady one is the worst, then the other one. Checkpoints, which nobody slows, are a third of a percent.
  ASSERT_EQ(figures.interruptions, 0u);
  double to_steady = 0, to_growing = 0;
  for (const Stretch& each : simulation.cluster().progress().stretches) {
    const double share = 1 - to_seconds(each.healthy_step) / to_seconds(each.step);
    (each.begin < kStart + 6 * kHour ? to_steady : to_growing) += share * to_seconds(each.end - each.begin);
  }
  ASSERT_GT(to_growing, to_steady);
  const auto lost = [&](std::uint32_t kind) {
    return to_seconds(lost_to(figures, cause_of(FaultKindId{kind})));
  };
  EXPECT_NEAR(lost(0), to_steady, 0.005 * to_steady);
  EXPECT_NEAR(lost(1), to_growing, 0.005 * to_growing);
}

}  // namespace
}  // namespace gauntlet
