// How much the steps of a drill jitter, and which decline is a false alert.
#include "report/step_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Complete steps, one after the other.
std::vector<StepTime> steps_of(const std::vector<Duration>& times) {
  std::vector<StepTime> steps;
  Time at = kStart;
  for (const Duration time : times) {
    at = at + time;
    steps.push_back({.end = at, .seconds = to_seconds(time), .follows = !steps.empty()});
  }
  return steps;
}

ProgressLog progress_of(const std::vector<Duration>& times) {
  ProgressLog log;
  Time at = kStart;
  for (const Duration time : times) {
    log.stretches.push_back(
        {.begin = at, .end = at + time, .origin = at, .step = time, .healthy_step = time, .cadence = {}});
    at = at + time;
  }
  return log;
}

/// A slow fault of GPU 3.
TruthLog slow_from_to(Time begin, Time end) {
  Truth onset{};
  onset.at = begin;
  onset.component = {ComponentKind::gpu, 3};
  onset.disturbs = true;
  onset.factor = 2;
  Truth ended = onset;
  ended.at = end;
  ended.what = TruthKind::ended;
  return {onset, ended};
}

TEST(StepTimes, StepsThatAFaultTouchesAreLeftOut) {
  const auto steps =
      undisturbed_steps(progress_of({1s, 1s, 1s, 1s, 1s}), slow_from_to(kStart + 1500ms, kStart + 2500ms));
  ASSERT_EQ(steps.size(), 3U);  // the second and the third are disturbed
  EXPECT_EQ(steps[1].end, kStart + 4s);
  EXPECT_FALSE(steps[1].follows);
  EXPECT_TRUE(steps[2].follows);
}

TEST(StepTimes, AFaultThatNeverEndsLeavesNothingBehindIt) {
  EXPECT_EQ(undisturbed_steps(progress_of({1s, 1s, 1s}), slow_from_to(kStart + 1500ms, kNever)).size(), 1U);
}

TEST(StepTimes, CheckpointsAreNoSteps) {
  ProgressLog log = progress_of({1s, 500ms, 1s});
  log.stretches[1].cadence = {.first = 0, .stall = 500ms};
  const auto steps = undisturbed_steps(log, {});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_TRUE(steps[1].follows);
}

TEST(StepTimes, AStepThatAStopCutIsNone) {
  ProgressLog log = progress_of({1s, 1s});
  log.stretches[1].step = 2s;
  EXPECT_EQ(undisturbed_steps(log, {}).size(), 1U);
}

TEST(StepTimes, ADeclineLastsFromItsFirstLongStepToTheEndOfTheNextShortOne) {
  // The steps of 2 s, 3 s and 2.5 s end at 3, 6 and 8.5 s, and the short one at 9.5 s: those above 2 s (half of the best) last 6.5 s.
  const auto steps = steps_of({1s, 2s, 3s, 2500ms, 1s});
  EXPECT_DOUBLE_EQ(*lasting_decline(steps, 6s), 0.5);
  // For 3 s the last two suffice, from 6 to 9.5 s: bounds below 2.5 s.
  EXPECT_DOUBLE_EQ(*lasting_decline(steps, 3s), 1 - 1 / 2.5);
  EXPECT_FALSE(lasting_decline(steps, 10s));
}

TEST(StepTimes, ADeclineDoesNotLastOverAStop) {
  auto steps = steps_of({1s, 2s, 2s, 2s, 2s});
  EXPECT_DOUBLE_EQ(*lasting_decline(steps, 5s), 0.5);
  steps[3].follows = false;
  EXPECT_FALSE(lasting_decline(steps, 5s));
}

TEST(StepTimes, TheReportNamesTheSmallestDeclineWithoutAFalseAlert) {
  const std::string text = step_times_section(steps_of({1s, 2s, 3s, 2500ms, 1s}), 6s);
  EXPECT_THAT(text, HasSubstr("5 steps without a fault: best 1.000 s, median 2.000 s"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "For 6s they were 50.0% below the best MFU: a smaller detection.mfu.decline is a false alert."));
  EXPECT_THAT(step_times_section(steps_of({1s}), 6s), HasSubstr("Together they are shorter than 6s (detection.mfu.lasting)"));
  EXPECT_EQ(step_times_section({}, 6s), "");
}

}  // namespace
}  // namespace gauntlet
