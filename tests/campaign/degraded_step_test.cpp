// What a slow part costs a campaign is what the step model says that it costs a step.
#include "models/step/step.hpp"
#include "tests/campaign/small_worlds.hpp"
#include "tests/models/published_jobs.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

World modelled_world() {
  World world = eight_hosts();
  const World published = megascale(1);
  world.hardware = published.hardware;
  world.job.model = published.job.model;
  world.job.training = published.job.training;
  world.job.calibration = published.job.calibration;
  world.job.global_batch = 64;
  world.job.step_time = {};
  return world;
}

struct Case {
  const char* name;
  ComponentKind component;
  std::uint32_t index;  // host 3, its GPU 2 or its NIC 2
  Effect effect;
  Segment segment;
  ClusterState expected;
};

std::vector<Case> cases() {
  const auto slow = [](std::uint32_t gpu, Segment segment) {
    ClusterState state;
    state.slow.push_back({3, gpu, slow_in(segment, 1.5)});
    return state;
  };
  const auto degraded = [](std::uint32_t nic) {
    ClusterState state;
    state.network.nics.push_back({3, nic, 1.5});
    return state;
  };
  return {
      {"slow host", ComponentKind::host, 3, Effect::slow, Segment::all, slow(kWholeHost, Segment::all)},
      {"slow GPU", ComponentKind::gpu, 26, Effect::slow, Segment::all, slow(2, Segment::all)},
      {"slow forward", ComponentKind::host, 3, Effect::slow, Segment::forward,
       slow(kWholeHost, Segment::forward)},
      {"slow backward", ComponentKind::gpu, 26, Effect::slow, Segment::backward, slow(2, Segment::backward)},
      {"host's NICs", ComponentKind::host, 3, Effect::degrade, Segment::all, degraded(kAllNics)},
      {"one NIC", ComponentKind::nic, 26, Effect::degrade, Segment::all, degraded(2)}};
}

TEST(DegradedStep, CostsTheCampaignWhatItCostsTheStep) {
  const World healthy_world = modelled_world();
  const StepModel model(healthy_world);
  const double healthy = to_seconds(model.healthy());
  const PolicyConstants policies = every_detector();
  for (const Case& one : cases()) {
    FaultKind fault;
    fault.name = "degraded";
    fault.component = one.component;
    fault.effect = one.effect;
    fault.segment = one.segment;
    fault.factor = 1.5;
    fault.heals_after = Law::constant(10 * 3600);
    fault.trace = {{kStart + kHour, one.index}};
    World world = healthy_world;
    add_faults(world, {fault}, 1);
    Simulation simulation(world, policies);
    const Figures& figures = simulation.run({});
    const double step = to_seconds(model.evaluate(one.expected).total);
    EXPECT_GT(step, healthy) << one.name;
    // Ten hours, but for the checkpoints' stalls, which the slow step does not lengthen.
    const double lost = to_seconds(figures.phases[static_cast<std::size_t>(Phase::slowdown)]);
    EXPECT_NEAR(lost / (10 * 3600 * (1 - healthy / step)), 1, 0.01) << one.name;
  }
}

// A NIC at half of its bandwidth costs a step little, a host that computes a fifth longer much.
TEST(DegradedStep, IsChargedToWhatCostsItMost) {
  World world = modelled_world();
  const StepModel model(world);
  ClusterState host, nic;
  host.slow.push_back({3, kWholeHost, slow_in(Segment::all, 1.2)});
  nic.network.nics.push_back({5, 2, 2.0});
  const double of_host = to_seconds(model.evaluate(host).total),
               of_nic = to_seconds(model.evaluate(nic).total);
  ASSERT_GT(of_host, of_nic);
  FaultKind slow;
  slow.name = "slow";
  slow.effect = Effect::slow;
  slow.factor = 1.2;
  slow.heals_after = Law::constant(10 * 3600);
  slow.trace = {{kStart + kHour, 3}};
  FaultKind wire = slow;
  wire.name = "wire";
  wire.component = ComponentKind::nic;
  wire.effect = Effect::degrade;
  wire.factor = 2;
  wire.trace = {{kStart + kHour, 5 * 8 + 2}};
  add_faults(world, {slow, wire}, 1);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({});
  EXPECT_GT(lost_to(figures, cause_of(FaultKindId{0})), kHour);
  EXPECT_EQ(lost_to(figures, cause_of(FaultKindId{1})), Duration{});
  const double healthy = to_seconds(model.healthy());
  for (const Truth& each : simulation.cluster().truth()) {
    if (each.what != TruthKind::onset) continue;
    EXPECT_NEAR(each.factor, (each.kind == FaultKindId{0} ? of_host : of_nic) / healthy, 1e-9);
  }
}

}  // namespace
}  // namespace gauntlet
