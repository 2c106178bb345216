// The shipped scenarios say what was published.
#include "config/checks/expectations.hpp"
#include "tests/config/scenario_texts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

World world_of(const std::string& name) {
  const LoadedScenario loaded = load_scenario(name, {});
  EXPECT_EQ(problems_of(loaded), "");
  return loaded.scenario ? loaded.scenario->world : World{};
}

/// Failures that stop the job in its window.
double expected_stops(const World& world) {
  return to_seconds(world.job.window) / to_seconds(expected_mtbf(world));
}

TEST(Shipped, Llama3HasTheCountsOfItsTable) {
  const World world = world_of("llama3-405b-54d");
  EXPECT_EQ(world.inventory.job_hosts, 2'048U);
  EXPECT_EQ(world.job.layout,
            (Layout{.tp = 8, .pp = 16, .dp = 128, .virtual_stages = world.job.layout.virtual_stages}));
  EXPECT_EQ(world.job.window, 54 * 24h);
  EXPECT_EQ(world.job.planned_stops.size(), 47U);
  EXPECT_EQ(world.faults.size(), 18U);
  EXPECT_NEAR(expected_stops(world), 419, 1e-6);
  for (const FaultKind& fault : world.faults) {
    EXPECT_TRUE(stops_job(fault.effect)) << fault.name;
    EXPECT_EQ(fault.clock, FaultClock::always) << fault.name;
    EXPECT_FALSE(fault.source.empty()) << fault.name;
  }
}

TEST(Shipped, OptHasItsMachinesDown) {
  const World world = world_of("opt-175b");
  EXPECT_EQ(world.inventory.job_hosts, 124U);
  EXPECT_NEAR(expected_stops(world), 112, 1e-6);  // 16.1 per 1,000 host-days x 124 hosts x 56 days
}

TEST(Shipped, MegascaleHasLlama3sRatePerHost) {
  const World world = world_of("megascale-175b-12288");
  EXPECT_EQ(world.job.layout, (Layout{.tp = 8, .pp = 8, .dp = 192, .virtual_stages = 6}));
  // 419 over 54 d x 2,048 hosts, for 28 d x 1,536 hosts.
  EXPECT_NEAR(expected_stops(world), 419.0 * 28 * 1'536 / (54.0 * 2'048), 1e-6);
}

TEST(Shipped, TinyIsSmall) { EXPECT_EQ(world_of("tiny-8").inventory.job_hosts, 8U); }

}  // namespace
}  // namespace gauntlet
