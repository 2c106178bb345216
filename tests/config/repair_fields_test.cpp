// [repair] and [spares] as a scenario says them, and what cannot be meant.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace gauntlet {
namespace {

/// kSmall with a fault that needs repair, and more. Line 1 is empty; `more` starts on line 24.
LoadedScenario repaired(const std::string& more) {
  return load_text(kSmall + "\n[faults.a]\ncomponent = \"host\"\neffect = \"crash\"\nmtbf = \"10d\"\n" +
                   more);
}

TEST(RepairFields, SayTheStagesAndTheSpares) {
  const LoadedScenario loaded = repaired(R"(
[faults.b]
component = "host"
effect = "crash"
mtbf = "10d"
lemons = { share = 0.15, factor = 6.0, cured = true }
[repair]
time = "2h"
crew = 3
silent_failure = 0.4
manual = { needed = 0.8, time = { name = "exponential", mean = "48h" }, silent_failure = 0.2 }
by_cause = { b = { time = "10min" } }
burn_in = "1h"
burn_in_finds = 0.5
[spares]
count = 2
cold = 3
cold_time = "10min"
pool = 4
preemption = "20min"
selection = "3min"
[cost]
gpu_hour = "2USD"
idle_gpu_hour = "0USD"
)");
  ASSERT_EQ(problems_of(loaded), "");
  EXPECT_TRUE(loaded.warnings.empty());
  const World& world = loaded.scenario->world;
  EXPECT_EQ(world.inventory.spares, 9U);
  EXPECT_EQ(world.spares.cold, 3U);
  EXPECT_EQ(world.spares.pool, 4U);
  EXPECT_EQ(world.repair.manual.time.mean(), 48 * 3600);
  EXPECT_EQ(world.repair.manual.silent_failure.value, 0.2);
  ASSERT_EQ(world.repair.by_cause.size(), 1U);
  EXPECT_EQ(world.repair.by_cause[0].first, FaultKindId{1});
  EXPECT_EQ(world.repair.by_cause[0].second.mean(), 600);
  EXPECT_TRUE(world.faults[1].profile.lemons.cured);
  ASSERT_TRUE(world.cost.idle_gpu_hour);
  EXPECT_EQ(world.cost.idle_gpu_hour->value, 0);
}

TEST(RepairFields, MistakesNameTheField) {
  const auto problems = [](const std::string& more) { return problems_of(repaired(more)); };
  using ::testing::HasSubstr;
  const std::string time = "[repair]\ntime = \"1h\"\n";
  EXPECT_THAT(problems(time + "silent_failure = 1.5\n"), HasSubstr("repair.silent_failure = 1.5 is above 1"));
  EXPECT_THAT(problems(time + "manual = { needed = -0.1 }\n"), HasSubstr("repair.manual.needed"));
  EXPECT_THAT(problems(time + "manual = { needed = 0.5 }\n"), HasSubstr("repair.manual.time is missing"));
  EXPECT_THAT(problems(time + "silent_failure = 1.0\nburn_in = \"1h\"\n"),
              HasSubstr("repair.silent_failure = 1.0 and manual.silent_failure let no repair hold"));
  EXPECT_EQ(problems(time + "silent_failure = 1.0\nburn_in = \"1h\"\nburn_in_finds = 0.9\n"), "");
  EXPECT_THAT(problems(time + "by_cause = { aa = { time = \"1h\" } }\n"),
              HasSubstr("repair.by_cause.aa is not a fault of this scenario"));
  EXPECT_THAT(problems(time + "[spares]\ncold = -1\n"), HasSubstr("spares.cold = -1"));
  EXPECT_THAT(problems(time + "[faults.c]\ncomponent = \"host\"\neffect = \"crash\"\nmtbf = \"10d\"\n"
                              "lemons = { share = 0.1, factor = 0.5, cured = true }\n"),
              HasSubstr("faults.c.lemons.cured"));
}

}  // namespace
}  // namespace gauntlet
