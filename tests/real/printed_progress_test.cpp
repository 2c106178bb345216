// Progress that is read from what ranks print for people.
#include "real/signals/printed_progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

const ProgressLines kLines = {.step = R"(step (\d+))",
                              .saved = R"(saved checkpoint (\d+))",
                              .resumed = R"(resumed from (\d+))",
                              .timed_out = "Watchdog caught collective operation timeout"};

ProgressLines steps_alone(const std::string& expression) {
  ProgressLines lines;
  lines.step = expression;
  return lines;
}

/// What the lines of `said`, one every second from second 101 on, mean; the process began at second 100.
std::vector<std::string> meaning(const ProgressLines& lines, const std::vector<std::string>& said) {
  PrintedProgress log(lines, 400ms, 100'000'000'000);
  std::vector<std::string> out;
  std::int64_t now = 100'000'000'000;
  for (const std::string& line : said) {
    now += 1'000'000'000;
    for (const RankLine& each : log.on_line(line, now)) out.push_back(to_line(each));
  }
  return out;
}

TEST(PrintedProgress, AStartThatResumesIsUpThen) {
  EXPECT_THAT(meaning(kLines, {"hello", "resumed from 40", "[rank0] step 41 loss 2.1", "saved checkpoint 41",
                               "step 42"}),
              ElementsAre("102000000000 up 40", "103000000000 step 41 1000000000", "104000000000 saved 41",
                          "105000000000 step 42 2000000000"));
}

// It would have said that it resumed, so it began at step 0; a usual step takes 0.4 s.
TEST(PrintedProgress, AFreshStartIsUpAUsualStepTimeBeforeItsFirstStep) {
  EXPECT_THAT(meaning(kLines, {"", "step 2"}),
              ElementsAre("101200000000 up 0", "102000000000 step 2 400000000"));
  // But not before the process began: 100 steps in 2 s.
  EXPECT_THAT(meaning(kLines, {"", "step 100"}),
              ElementsAre("100000000000 up 0", "102000000000 step 100 20000000"));
}

TEST(PrintedProgress, AJobThatNeverSaysThatItResumedIsUpTheStepBefore) {
  EXPECT_THAT(meaning(steps_alone(kLines.step), {"step 70"}),
              ElementsAre("100600000000 up 69", "101000000000 step 70 400000000"));
}

TEST(PrintedProgress, StepsThatLinesLeaveOutTookTheSameTimeEach) {
  EXPECT_THAT(meaning(kLines, {"resumed from 0", "step 10"}),
              ElementsAre("101000000000 up 0", "102000000000 step 10 100000000"));
}

TEST(PrintedProgress, WhatSeveralRanksSayCountsOnce) {
  EXPECT_THAT(meaning(kLines, {"resumed from 7", "resumed from 7", "step 8", "step 8", "step 5"}),
              ElementsAre("101000000000 up 7", "103000000000 step 8 2000000000"));
}

TEST(PrintedProgress, ATimeoutIsALogLine) {
  EXPECT_THAT(
      meaning(kLines, {"[E] Watchdog caught collective operation timeout: seq 4"}),
      ElementsAre(
          "101000000000 log collective_timeout [E] Watchdog caught collective operation timeout: seq 4"));
}

TEST(PrintedProgress, NumbersThatAreNoStepsAndOtherBytesMeanNothing) {
  EXPECT_THAT(meaning(kLines, {"step -1", "step 99999999999999999999", "step", "step 0",
                               std::string("\0\xff\xfe", 3)}),
              IsEmpty());
  EXPECT_THAT(meaning(steps_alone("step"), {"step 1"}), IsEmpty()) << "no group";
  EXPECT_THAT(meaning(steps_alone("("), {"step 1"}), IsEmpty()) << "no expression";
  EXPECT_THAT(PrintedProgress().on_line("step 1", 1), IsEmpty());
}

TEST(PrintedProgress, TheEndIsAfterTheLastStep) {
  PrintedProgress log(kLines, 400ms, 0);
  EXPECT_EQ(to_line(log.finished(5)), "5 finished 0 0000000000000000");
  log.on_line("step 3", 10);
  EXPECT_EQ(to_line(log.finished(11)), "11 finished 3 0000000000000000");
}

}  // namespace
}  // namespace gauntlet
