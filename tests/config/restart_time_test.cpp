// job.restart_time: all of a restart as one number, in place of the phases of [job.start].
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::string kWithRestart =
    with(kSmall, "window = \"10d\"", "window = \"10d\"\nrestart_time = \"8min\"");

/// The sum of what every phase takes, and of process_start alone.
void expect_one_phase(const LoadedScenario& loaded, double seconds) {
  ASSERT_EQ(problems_of(loaded), "");
  const StartChain& start = loaded.scenario->world.job.start;
  EXPECT_DOUBLE_EQ(start.process_start.mean(), seconds);
  for (const Law* other :
       {&start.provisioning, &start.scheduling, &start.communicator_init, &start.data_loader, &start.warm_up})
    EXPECT_EQ(other->mean(), 0);
  EXPECT_EQ(start.at_gpus, 0U);
  EXPECT_EQ(start.growth.communicator_init, 0);
}

TEST(RestartTime, IsAllOfARestart) {
  expect_one_phase(load_text(kWithRestart), 480);
  expect_one_phase(load_text(with(kSmall, "window = \"10d\"", "window = \"10d\"\nrestart_time = \"0s\"")), 0);
}

TEST(RestartTime, MayBeDrawn) {
  const LoadedScenario loaded = load_text(
      with(kSmall, "window = \"10d\"",
           "window = \"10d\"\nrestart_time = { name = \"lognormal\", mean = \"8min\", sigma = 0.5 }"));
  ASSERT_EQ(problems_of(loaded), "");
  EXPECT_NEAR(loaded.scenario->world.job.start.process_start.mean(), 480, 1e-9);
}

TEST(RestartTime, BesideAPhaseIsRefusedWithBothLines) {
  for (const char* phase : {"provisioning = \"1min\"", "scheduling = \"1min\"", "process_start = \"1min\"",
                            "communicator_init = \"1min\"", "data_loader = \"1min\"", "warm_up = \"1min\"",
                            "at_gpus = 8", "growth.warm_up = 0.0"}) {
    const std::string key(phase, std::string(phase).find(' '));
    const LoadedScenario loaded = load_text(kWithRestart + "[job.start]\n" + phase + "\n");
    EXPECT_FALSE(loaded.scenario) << phase;
    EXPECT_THAT(problems_of(loaded),
                HasSubstr("job.restart_time = \"8min\" is all of a restart, and job.start." + key +
                          " is a phase of it (test.toml:21); leave job.restart_time out, or every "
                          "key of [job.start]"))
        << phase;
    EXPECT_THAT(problems_of(loaded), testing::ContainsRegex("^test.toml:[0-9]+:16: job.restart_time"))
        << phase;
  }
}

TEST(RestartTime, OfAFileTakesThePlaceOfInheritedPhases) {
  const std::string job = "extends = \"catalog/jobs/llama3-405b.toml\"\n[job]\nwindow = \"10d\"\n";
  const LoadedScenario phases = load_text(job);
  ASSERT_EQ(problems_of(phases), "");
  EXPECT_GT(phases.scenario->world.job.start.warm_up.mean(), 0);
  expect_one_phase(load_text(job + "restart_time = \"8min\"\n"), 480);
  const std::vector<std::string> set = {"job.restart_time=9min"};
  expect_one_phase(load_scenario("llama3-405b-54d", set), 540);
  expect_one_phase(load_scenario_text(kWithRestart, "test.toml", set), 540);
}

// The other way round would leave a restart with that phase alone.
TEST(RestartTime, IsNotReplacedByOnePhase) {
  const std::vector<std::string> phase = {"job.start.warm_up=1min"};
  EXPECT_THAT(problems_of(load_scenario_text(kWithRestart, "test.toml", phase)),
              HasSubstr("job.start.warm_up is a phase of it (--set)"));
  for (const std::vector<std::string>& sets :
       {std::vector<std::string>{"job.start.warm_up=1min", "job.restart_time=9min"},
        std::vector<std::string>{"job.restart_time=9min", "job.start.warm_up=1min"}})
    EXPECT_THAT(problems_of(load_scenario_text(kSmall, "test.toml", sets)),
                HasSubstr("job.start.warm_up is a phase of it (--set)"));
}

TEST(RestartTime, IsShownAlone) {
  const LoadedScenario loaded = load_text(kWithRestart);
  const std::string shown = show(loaded, Comments::none);
  EXPECT_THAT(shown, HasSubstr("restart_time = \"8min\"\n"));
  EXPECT_THAT(shown, Not(HasSubstr("[job.start]")));
  const LoadedScenario again = load_scenario_text(shown, "shown.toml");
  expect_one_phase(again, 480);
  EXPECT_EQ(show(again, Comments::none), shown);
  EXPECT_THAT(show(load_text(kSmall), Comments::none), HasSubstr("[job.start]"));
}

TEST(RestartTime, IsHeldToTheDeadlineOfAStart) {
  EXPECT_THAT(
      problems_of(load_text(kWithRestart + "[recovery]\nstart_deadline = \"5min\"\n")),
      HasSubstr(
          "recovery.start_deadline = \"5min\" is over before a restart is (job.restart_time), which takes "
          "8min on average; write more than that"));
}

}  // namespace
}  // namespace gauntlet
