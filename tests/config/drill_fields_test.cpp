// [drill]: the user's own job.
#include "tests/config/scenario_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

/// What is wrong with kSmall and this [drill.command], which starts on line 20.
std::string problems_of_command(const std::string& command) {
  return problems_of(load_text(kSmall + "[drill.command]\n" + command));
}

TEST(DrillCommand, HoldsWhatTheScenarioSays) {
  const LoadedScenario loaded = load_text(kSmall + R"toml([drill.command]
arguments = ["python3", "-c", "print('a b')"]
directory = "jobs"
per = "host"
stop_signal = "USR1"
grace = "2s"
[drill.command.lines]
step = '^step (\d+)'
saved = 'saved (\d+)'
[drill.environment]
OMP_NUM_THREADS = "1"
"LC.ALL" = ""
)toml");
  ASSERT_TRUE(loaded.scenario) << problems_of(loaded);
  const JobCommand& command = loaded.scenario->world.drill.command;
  EXPECT_THAT(command.arguments, ElementsAre("python3", "-c", "print('a b')"));
  EXPECT_EQ(command.directory, "jobs");
  EXPECT_EQ(command.per, ProcessPer::host);
  EXPECT_EQ(command.stop_signal, "USR1");
  EXPECT_EQ(command.grace, std::chrono::seconds(2));
  EXPECT_EQ(command.lines.step, "^step (\\d+)");
  EXPECT_EQ(command.lines.saved, "saved (\\d+)");
  EXPECT_EQ(command.lines.resumed, "");
  EXPECT_THAT(command.environment, ElementsAre(Pair("LC.ALL", ""), Pair("OMP_NUM_THREADS", "1")));
  // What is shown is itself the same scenario.
  const LoadedScenario again = load_scenario_text(show(loaded, Comments::none), "shown");
  ASSERT_TRUE(again.scenario) << problems_of(again);
  EXPECT_EQ(again.scenario->world.drill.command.lines, command.lines);
  EXPECT_EQ(again.scenario->world.drill.command.environment, command.environment);
}

TEST(Drill, BoundsFaultsAtOnceOnlyWhereTheScenarioSaysSo) {
  EXPECT_EQ(load_text(kSmall).scenario->world.drill.at_once, 0U);
  EXPECT_EQ(load_text(kSmall + "[drill]\nat_once = 3\n").scenario->world.drill.at_once, 3U);
}

TEST(DrillCommand, IsOurTrainerWhereThereIsNone) {
  const LoadedScenario loaded = load_text(kSmall);
  ASSERT_TRUE(loaded.scenario);
  EXPECT_FALSE(loaded.scenario->world.drill.command.given());
  EXPECT_THAT(loaded.scenario->world.drill.command.environment, IsEmpty());
}

TEST(DrillCommand, NeedsAProgram) {
  EXPECT_THAT(
      problems_of_command("arguments = []\n"),
      HasSubstr(":20:13: drill.command.arguments = [] names no program; write a list of texts such as"));
  EXPECT_THAT(problems_of_command("arguments = [\"\"]\n"), HasSubstr("names no program"));
  EXPECT_THAT(problems_of_command("arguments = \"python3 train.py\"\n"),
              HasSubstr(":20:13: drill.command.arguments"));
  EXPECT_THAT(problems_of_command("arguments = [1]\n"), HasSubstr("drill.command.arguments[0]"));
  EXPECT_THAT(problems_of_command("arguments = [\"a\\u0000b\"]\n"), HasSubstr("holds a zero byte"));
  EXPECT_THAT(problems_of_command("grace = \"1s\"\n"), HasSubstr("arguments"));
}

TEST(DrillCommand, SetsVariablesThatAreNotTheDrillsOwn) {
  const std::string command = "arguments = [\"true\"]\n[drill.environment]\n";
  EXPECT_EQ(problems_of_command(command + "PATH = \"/bin\"\n"), "");
  EXPECT_THAT(problems_of_command(command + "RANK = \"0\"\n"),
              HasSubstr(":22:1: drill.environment.RANK is set by the drill itself"));
  EXPECT_THAT(problems_of_command(command + "GAUNTLET_RUN = \"0\"\n"),
              HasSubstr("is set by the drill itself"));
  EXPECT_THAT(problems_of_command(command + "PET_NNODES = \"0\"\n"), HasSubstr("is set by the drill itself"));
  EXPECT_THAT(problems_of_command(command + "\"A=B\" = \"0\"\n"),
              HasSubstr(":22:1: drill.environment.\"A=B\" has a name with '='"));
  EXPECT_THAT(problems_of_command(command + "\"\" = \"0\"\n"), HasSubstr("has no name"));
  EXPECT_THAT(problems_of_command(command + "N = 1\n"), HasSubstr(":22:5: drill.environment.N = 1"));
}

TEST(DrillCommand, ItsLinesAreExpressionsWithTheNumberOfAStep) {
  const std::string command = "arguments = [\"true\"]\n[drill.command.lines]\n";
  EXPECT_THAT(problems_of_command(command + "step = '('\n"),
              HasSubstr(":22:8: drill.command.lines.step = \"(\" is not a regular expression"));
  EXPECT_THAT(problems_of_command(command + "step = 'step'\n"),
              HasSubstr("has no group for the number of the step"));
  EXPECT_THAT(problems_of_command(command + "step = '(?=a)(\\d)'\n"),
              HasSubstr("is not a regular expression of RE2"));
  EXPECT_THAT(problems_of_command(command + "step = '(\\d+)'\ntimed_out = ''\n"),
              HasSubstr("is empty, and every line has it"));
  EXPECT_THAT(problems_of_command(command + "saved = '(\\d+)'\n"), HasSubstr("step"));
  EXPECT_EQ(problems_of_command(command + "step = '(\\d+)'\ntimed_out = 'timeout'\n"), "");
}

TEST(DrillCommand, KnowsItsSignals) {
  EXPECT_THAT(problems_of_command("arguments = [\"true\"]\nstop_signal = \"KILL\"\n"),
              HasSubstr(":21:15: drill.command.stop_signal"));
  EXPECT_THAT(problems_of_command("arguments = [\"true\"]\nper = \"gpu\"\n"),
              HasSubstr(":21:7: drill.command.per"));
}

}  // namespace
}  // namespace gauntlet
