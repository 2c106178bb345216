#include "real/system/command_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Duration kLongDeadline = 1min;

TEST(RunCommands, SayWhatTheyPrintedOnBothStreams) {
  const CommandResult result = run_command({"sh", "-c", "echo one; echo two >&2"}, kLongDeadline);
  EXPECT_TRUE(result.ok) << result.why;
  EXPECT_THAT(result.output, HasSubstr("one\n"));
  EXPECT_THAT(result.output, HasSubstr("two\n"));
}

TEST(RunCommands, GetTheirArgumentsAsTheyAre) {
  EXPECT_EQ(run_command({"printf", "%s|", "a b", "$HOME", "';x"}, kLongDeadline).output, "a b|$HOME|';x|");
}

TEST(RunCommands, ThatFailExplainIt) {
  const CommandResult result =
      run_command({"sh", "-c", "echo first; echo no rights >&2; exit 3"}, kLongDeadline);
  EXPECT_FALSE(result.ok);
  EXPECT_EQ(result.why, "sh ended with 3; it last said: no rights");
  EXPECT_EQ(run_command({"false"}, kLongDeadline).why, "false ended with 1; it said nothing");
  EXPECT_TRUE(result.started);
  const CommandResult missing = run_command({"/no/such/program"}, kLongDeadline);
  EXPECT_FALSE(missing.started);
  EXPECT_THAT(missing.why, HasSubstr("cannot be started: No such file"));
}

TEST(RunCommands, ThatHangAreEndedWithAllThatTheyStarted) {
  const auto began = std::chrono::steady_clock::now();
  const CommandResult result =
      run_command({"sh", "-c", "trap '' TERM; echo waiting; sleep 1000 & sleep 1000"}, 200ms);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.why, HasSubstr("did not end within 200ms; it last said: waiting"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, 500s) << "and not after 1000 s";
}

TEST(RunCommands, AreNotWaitedForThroughWhatTheyLeaveBehind) {
  const CommandResult result = run_command({"sh", "-c", "sleep 1000 & echo done"}, kLongDeadline);
  EXPECT_TRUE(result.ok) << result.why;
  EXPECT_EQ(result.output, "done\n");
}

TEST(RunCommands, EndWhenAsked) {
  const std::atomic<bool> stop{true};
  EXPECT_THAT(run_command({"sleep", "1000"}, kLongDeadline, &stop).why, HasSubstr("was stopped"));
}

TEST(RunCommands, ThatSayMuchAreExplainedByTheirLastLine) {
  const CommandResult result =
      run_command({"sh", "-c", "head -c 3000000 /dev/zero | tr '\\0' '\\n'; echo the node is gone; exit 4"},
                  kLongDeadline);
  EXPECT_EQ(result.why, "sh ended with 4; it last said: the node is gone");
}

TEST(RunCommands, KeepABoundedPartOfALongOutput) {
  const CommandResult result = run_command({"head", "-c", "10000000", "/dev/zero"}, kLongDeadline);
  EXPECT_TRUE(result.ok) << result.why;
  EXPECT_EQ(result.output.size(), std::size_t{1} << 20);
}

TEST(RunCommands, CutNoLineOfALongOutput) {
  const CommandResult result = run_command({"sh", "-c", "yes 12345 | head -c 3000000"}, kLongDeadline);
  EXPECT_TRUE(result.output.ends_with("\n12345\n"));
  EXPECT_LE(result.output.size(), std::size_t{1} << 20);
}

}  // namespace
}  // namespace gauntlet
