// Every fault model, at every phase of an incident, under every stack of detectors: the run ends, with the job trained or a
// stated give-up, and its time adds up (the score ensures that). And elided telemetry shows what full telemetry shows.
#include "tests/campaign/every_model.hpp"

#include "tests/campaign/full_and_elided.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

std::vector<std::vector<std::string>> detector_stacks() {
  std::vector<std::vector<std::string>> stacks = {{}, all_detectors()};
  for (const std::string& name : all_detectors()) stacks.push_back({name});
  return stacks;
}

std::string in_words(const std::vector<std::string>& stack) {
  std::string out;
  for (const std::string& name : stack) out += name + " ";
  return out.empty() ? "none" : out;
}

TEST(EveryModel, AtEveryPhaseOfAnIncidentUnderEveryStack) {
  World world = observed_world();
  const std::vector<FaultKind> models = every_model(world);
  add_faults(world, models, 0.6);
  const auto crash = index_of(models, "host_crash");
  std::uint32_t runs = 0, incidents = 0, gave_up = 0;
  for (const std::vector<std::string>& stack : detector_stacks()) {
    const PolicyConstants policies = every_policy(world, stack, "suite");
    for (std::size_t model = 0; model < models.size(); ++model) {
      // A host dies at 1 h; what follows (detection, stop, diagnosis, spare, restart, recomputing) is over after two hours
      // at most, and the model strikes in each part of it.
      for (std::int64_t moment = -600; moment < 7200; moment += 487) {
        for (FaultKind& kind : world.faults) kind.trace.clear();
        world.faults[crash].trace = {{kStart + kHour, 1}};
        const bool second_host = moment % 2 == 0;
        const std::uint32_t component =
            models[model].component == ComponentKind::gpu || models[model].component == ComponentKind::nic
                ? (second_host ? 8U * 2 : 8U)
                : 0U;
        world.faults[model].trace.push_back({kStart + kHour + moment * kSecond, component});
        std::sort(world.faults[model].trace.begin(), world.faults[model].trace.end());
        Simulation simulation(world, policies);
        const Figures& figures =
            simulation.run({.seed = static_cast<std::uint64_t>(moment + 1000), .replica = 0});
        SCOPED_TRACE(models[model].name + " " + std::to_string(moment) +
                     " s after a crash, detectors: " + in_words(stack));
        ++runs;
        incidents += static_cast<std::uint32_t>(figures.incidents.size());
        if (figures.ending == Ending::gave_up) {
          ++gave_up;
        } else {
          ASSERT_EQ(figures.wall, world.job.window);
          ASSERT_GT(figures.steps, 100);
        }
      }
    }
  }
  EXPECT_GT(incidents, runs);  // more than the crash
  EXPECT_LT(gave_up, runs / 20) << "people notice what detectors do not";
}

TEST(EveryModel, ElidedAndFullTelemetryGiveTheSameActionsAtTheSameTimes) {
  World world = observed_world();
  const std::vector<FaultKind> models = every_model(world);
  add_faults(world, models, 0.6);
  world.telemetry.gap_mtbf = 40 * kHour;
  world.telemetry.gap_duration = Law::exponential(60);
  world.telemetry.blip_mtbf = 10 * kHour;
  world.telemetry.blip_factor = 1.3;
  world.telemetry.blip_duration = Law::exponential(120);
  for (std::size_t model = 0; model < models.size(); ++model) {
    SCOPED_TRACE(models[model].name);
    for (FaultKind& kind : world.faults) kind.life = Law::exponential(1e15);
    world.faults[model].life = Law::exponential(30 * 3600);
    expect_same_run(world, every_policy(world, all_detectors(), "localise"), model + 1);
  }
  for (FaultKind& kind : world.faults) kind.life = Law::exponential(600 * 3600);
  world.job.window = 36 * kHour;
  for (const std::string_view diagnose : diagnoser_names()) {
    for (const std::string& detector : all_detectors()) {
      SCOPED_TRACE("every model, " + std::string(diagnose) + ", " + detector);
      expect_same_run(world, every_policy(world, {detector, "exit"}, std::string(diagnose)), 7);
    }
  }
}

TEST(EveryModel, ACollectiveTimeoutBelowAFlapTurnsAStallIntoACrash) {
  World world = observed_world();
  const std::vector<FaultKind> models = every_model(world);
  add_faults(world, models, 0.6);
  const auto flap = index_of(models, "nic_flap");
  world.faults[flap].followed_by.reset();
  world.faults[flap].heals_after = Law::constant(6);
  for (std::uint32_t n = 0; n < 20; ++n)
    world.faults[flap].trace.push_back({kStart + (30 + 31 * n) * kMinute, 8 * (n % 8)});
  PolicyConstants policies = every_policy(world, {"collective-timeout", "exit", "hang"}, "suite");
  policies.detection.collective_timeout = 5 * kSecond;
  Simulation below(world, policies);
  const Figures crashed = below.run({.seed = 1, .replica = 0});
  policies.detection.collective_timeout = 7 * kSecond;
  Simulation above(world, policies);
  const Figures& stalled = above.run({.seed = 1, .replica = 0});
  // Hosts that were evicted for it do not flap meanwhile. All that met the job and had not healed before it was up stopped it.
  const FaultScore& flaps = crashed.fault_scores[flap];
  EXPECT_GE(flaps.met, 10u);
  EXPECT_EQ(crashed.interruptions + harmless(flaps), flaps.met);
  EXPECT_EQ(stalled.interruptions, 0u);
  EXPECT_EQ(at(stalled.phases, Phase::slowdown), 20 * 6 * kSecond);  // they wait out each of the twenty
  EXPECT_GT(stalled.steps, crashed.steps);
}

}  // namespace
}  // namespace gauntlet
