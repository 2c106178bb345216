// Full and elided telemetry give the same observations on the shipped clusters too: every heartbeat of 2,048 hosts is
// generated here, some ten million in a day.
#include "config/scenario.hpp"
#include "tests/campaign/small_worlds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

void expect_same_observations(const std::string& file, const std::vector<std::string>& sets,
                              std::uint64_t seed) {
  const LoadedScenario loaded = load_scenario(file, sets);
  ASSERT_TRUE(loaded.scenario) << file;
  const Scenario& scenario = *loaded.scenario;
  Simulation elided(scenario.world, scenario.policies), full(scenario.world, scenario.policies);
  elided.run({.seed = seed, .replica = 0});
  full.run({.seed = seed, .replica = 0, .full_telemetry = true});
  EXPECT_TRUE(transcript(elided.record()) == transcript(full.record()))
      << "gauntlet run " << file << " --seed " << seed
      << " --replica 0 --record FILE, with and without --full-telemetry";
  EXPECT_GT(full.cluster().events(), 100 * elided.cluster().events())
      << "nothing was left out that could be compared";
}

TEST(ElisionOnShippedScenarios, TheTinyClusterForAWeek) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    expect_same_observations("scenarios/tiny-8.toml", {}, seed);
}

TEST(ElisionOnShippedScenarios, TheMainJobForADay) {
  // Gaps in the telemetry of healthy hosts, about one an hour, so that false alarms are compared as well.
  const std::vector<std::string> sets = {"job.window=1d", "job.planned.count=1", "telemetry.gap_mtbf=2000h",
                                         "telemetry.gap_duration=90s"};
  expect_same_observations("scenarios/llama3-405b-54d.toml", sets, 1);
}

}  // namespace
}  // namespace gauntlet
