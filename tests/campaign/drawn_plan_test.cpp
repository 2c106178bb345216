// What a drill reads in its fault plan, a simulation of the same plan draws.
#include "models/world/fault_plan.hpp"
#include "sim/faults/fault_plan.hpp"
#include "tests/campaign/small_worlds.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

TEST(DrawnPlan, HoldsTheRepairAndTheRequestOfItsSimulation) {
  World world = one_fault_world(4, Law::exponential(1e12));
  world.job.step_time = 9s;
  world.job.window = 24h;
  world.faults[0].trace = {{kStart + 1h, 2}};
  world.repair.time = Law::constant(1);
  world.repair.by_cause = {{FaultKindId{0}, Law::lognormal(3600, 0.5)}};
  FaultKind preempt = world.faults[0];
  preempt.name = "taken";
  preempt.component = ComponentKind::job;
  preempt.effect = Effect::preempt;
  preempt.heals_after = Law::lognormal(600, 0.5);
  preempt.symptoms = {};
  preempt.trace = {{kStart + 12h, 0}};
  world.faults.push_back(preempt);
  const PolicyConstants policies = instant_policies(9s);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const FaultPlan plan = draw_plan(world, {.study = seed, .replica = 0}, kStart + 24h);
    ASSERT_EQ(plan.size(), 2U);
    const World drilled = with_plan(world, plan);
    Simulation simulation(drilled, policies);
    simulation.run({.seed = seed, .replica = 0});
    Time evicted = kStart, returned = kStart;
    Duration hold{};
    for (const RecordedOrder& order : simulation.record().orders)
      if (std::holds_alternative<Evict>(order.order.what)) evicted = order.at;
    for (const Observed& seen : simulation.record().observations) {
      if (std::holds_alternative<HostReturned>(seen.what)) returned = seen.at;
      if (const auto* request = std::get_if<StopRequest>(&seen.what)) hold = request->hold;
    }
    EXPECT_EQ(returned - evicted, plan[0].repair) << "seed " << seed;
    EXPECT_EQ(hold, plan[1].lasts) << "seed " << seed;
    EXPECT_GT(hold, 0s);
  }
}

TEST(BoundedPlan, LeavesOutWhatStrikesWhileTheBoundActs) {
  World world;
  FaultKind heals;
  heals.heals_after = Law::constant(10);
  FaultKind repaired;
  FaultKind restarted;
  restarted.remedy = Remedy::restart;
  FaultKind slow = restarted;
  slow.effect = Effect::slow;
  FaultKind planned = heals;
  planned.effect = Effect::planned;
  world.faults = {heals, repaired, restarted, slow, planned};
  const auto fault = [](std::uint32_t kind, Duration at) {
    return PlannedFault{
        .at = kStart + at, .kind = FaultKindId{kind}, .component = {}, .lasts = 10s, .repair = 20s};
  };
  const auto times = [](const FaultPlan& plan) {
    std::vector<Duration> all;
    for (const PlannedFault& each : plan) all.push_back(each.at - kStart);
    return all;
  };
  // It heals at 11 s; the repair ends at 31 s; the restart removes the third at once; the slow one acts to the end.
  const FaultPlan plan = {fault(0, 1s),  fault(1, 10s), fault(4, 10s), fault(1, 11s), fault(0, 30s),
                          fault(2, 31s), fault(3, 31s), fault(0, 32s), fault(4, 33s)};
  world.drill.at_once = 1;
  const BoundedPlan one = within_bound(world, plan);
  EXPECT_EQ(times(one.kept), (std::vector<Duration>{1s, 10s, 11s, 31s, 31s, 33s}));
  EXPECT_EQ(times(one.left_out), (std::vector<Duration>{10s, 30s, 32s}));
  world.drill.at_once = 2;
  EXPECT_EQ(times(within_bound(world, plan).left_out), (std::vector<Duration>{32s}));
  world.drill.at_once = 0;
  EXPECT_EQ(times(within_bound(world, plan).kept), times(plan));
}

}  // namespace
}  // namespace gauntlet
