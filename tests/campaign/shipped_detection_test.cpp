// What the shipped scenarios are there to show about detectors, in fewer replicas than their documents have.
#include "config/scenario.hpp"
#include "models/step/step.hpp"
#include "study/replica.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

struct Shown {
  double handled = 0, detection_and_diagnosis_s = 0, training_rate = 0, mfu = 0;
  std::uint32_t interruptions = 0, evictions_right = 0, evictions_wrong = 0;
};

Shown show(const std::string& scenario, const std::vector<std::string>& sets, std::uint32_t replicas) {
  const LoadedScenario loaded = load_scenario("scenarios/" + scenario + ".toml", sets);
  if (!loaded.scenario) throw std::runtime_error(scenario + " cannot be loaded");
  const World& world = loaded.scenario->world;
  Simulation simulation(world, loaded.scenario->policies);
  Shown shown;
  double unplanned = 0, handled = 0, answered_s = 0, iterating_s = 0, wall_s = 0, steps = 0;
  for (std::uint32_t r = 0; r < replicas; ++r) {
    const Figures& figures = simulation.run({.seed = 1, .replica = r});
    for (const Incident& each : figures.incidents) {
      unplanned += each.unplanned ? 1 : 0;
      if (!each.handled) continue;
      handled += 1;
      answered_s += to_seconds(at(each.lost, Phase::undetected) + at(each.lost, Phase::diagnosing));
    }
    iterating_s += to_seconds(figures.iteration_time);
    wall_s += to_seconds(figures.wall);
    steps += static_cast<double>(figures.steps);
    shown.interruptions += figures.interruptions - figures.planned_stops;
    shown.evictions_right += figures.evictions_right;
    shown.evictions_wrong += figures.evictions_wrong;
  }
  const StepTimes healthy = StepModel(world).evaluate();
  shown.handled = handled / unplanned;
  shown.detection_and_diagnosis_s = answered_s / handled;
  shown.training_rate = iterating_s / wall_s;
  shown.mfu = healthy.mfu * to_seconds(healthy.total) * steps / wall_s;
  return shown;
}

TEST(ShippedDetection, MostStopsOfMegaScaleAreHandledWithoutPeople) {
  const Shown all = show("megascale-175b-12288", {}, 6);
  EXPECT_GT(all.handled, 0.9);
  EXPECT_LT(all.detection_and_diagnosis_s, 600);
  EXPECT_GT(all.training_rate, 0.9);
  const Shown heartbeat = show("megascale-175b-12288", {"policies.detect=[\"heartbeat\"]"}, 6);
  EXPECT_LT(heartbeat.handled, all.handled - 0.2);
  EXPECT_LT(heartbeat.training_rate, all.training_rate);
}

TEST(ShippedDetection, BelowTheFlapJobsCrashAboveItTheyGoOn) {
  const auto stops = [](const char* timeout) {
    return show("nic-flap-timeout", {std::string("detection.collective_timeout=") + timeout}, 3)
        .interruptions;
  };
  EXPECT_GT(stops("1s"), 100u);
  EXPECT_LT(stops("10s"), stops("5s"));
  EXPECT_EQ(stops("10min"), 0u);
}

TEST(ShippedDetection, FindingSlowHostsGivesTheirMfuBack) {
  const std::vector<std::string> blind = {"policies.detect=[\"heartbeat\", \"exit\", \"log\", \"hang\"]"};
  const Shown found = show("slow-hosts", {}, 20), missed = show("slow-hosts", blind, 20);
  EXPECT_NEAR(100 * (found.mfu - missed.mfu), 1.3, 0.5);
  EXPECT_GT(found.evictions_right, 100u);
  EXPECT_EQ(found.evictions_wrong, 0u);
  EXPECT_EQ(missed.evictions_right, 0u);
  const std::string all = "faults.slow_host.segment=all";
  EXPECT_NEAR(100 * (show("slow-hosts", {all}, 20).mfu - show("slow-hosts", {all, blind[0]}, 20).mfu), 3.9,
              1.0);
}

}  // namespace
}  // namespace gauntlet
