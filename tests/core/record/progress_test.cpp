#include "core/record/progress.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

Time at(std::int64_t nanoseconds) { return kStart + Duration(nanoseconds); }

/// Training, step by step and checkpoint by checkpoint.
class StepByStep {
 public:
  StepByStep(const Stretch& stretch, Time until) {
    const Cadence& cadence = stretch.cadence;
    Time now = stretch.origin;
    std::int64_t next = cadence.first;
    for (std::int64_t step = 0; now <= until; ++step) {
      step_done_.push_back(now);
      if (step == next) {
        checkpoint_after_.push_back(step);
        now += cadence.stall;
        checkpoint_done_.push_back(now);
        next = cadence.every == kNoCheckpoint ? kNoCheckpoint : next + cadence.every;
      }
      now += stretch.step;
    }
  }
  Reached reached_at(Time time) const {
    const auto done = [time](const std::vector<Time>& times) {
      return std::upper_bound(times.begin(), times.end(), time) - times.begin();
    };
    Reached reached{.steps = done(step_done_) - 1,
                    .checkpoints = done(checkpoint_done_),
                    .into_step = {},
                    .into_stall = {}};
    Time last = step_done_[static_cast<std::size_t>(reached.steps)];
    if (reached.checkpoints > 0)
      last = std::max(last, checkpoint_done_[static_cast<std::size_t>(reached.checkpoints - 1)]);
    const bool stalled = static_cast<std::size_t>(reached.checkpoints) < checkpoint_after_.size() &&
                         checkpoint_after_[static_cast<std::size_t>(reached.checkpoints)] == reached.steps;
    (stalled ? reached.into_stall : reached.into_step) = time - last;
    return reached;
  }
  const std::vector<Time>& step_done() const { return step_done_; }  // [0] is the origin
  const std::vector<Time>& checkpoint_done() const { return checkpoint_done_; }
  const std::vector<std::int64_t>& checkpoint_after() const { return checkpoint_after_; }

 private:
  std::vector<Time> step_done_, checkpoint_done_;
  std::vector<std::int64_t> checkpoint_after_;
};

Stretch any_stretch() {
  Stretch stretch;
  stretch.origin = at(*rc::gen::inRange<std::int64_t>(0, 50));
  stretch.begin = stretch.end = stretch.origin;
  stretch.step = Duration(*rc::gen::inRange<std::int64_t>(1, 8));
  stretch.healthy_step = stretch.step;
  stretch.cadence.stall = Duration(*rc::gen::inRange<std::int64_t>(0, 6));
  const auto checkpoints = *rc::gen::inRange(0, 4);  // 0: none, 1: one, else periodic
  if (checkpoints > 0) stretch.cadence.first = *rc::gen::inRange<std::int64_t>(0, 7);
  if (checkpoints > 1) stretch.cadence.every = *rc::gen::inRange<std::int64_t>(1, 6);
  return stretch;
}

RC_GTEST_PROP(Stretch, KnowsWhereTrainingStandsAtEveryNanosecond, ()) {
  const Stretch stretch = any_stretch();
  const Time until = stretch.origin + 150ns;
  const StepByStep model(stretch, until);
  for (Time now = stretch.origin; now <= until; now += 1ns) {
    const Reached expected = model.reached_at(now), reached = stretch.reached_at(now);
    RC_ASSERT(reached.steps == expected.steps);
    RC_ASSERT(reached.checkpoints == expected.checkpoints);
    RC_ASSERT(reached.into_step.count() == expected.into_step.count());
    RC_ASSERT(reached.into_stall.count() == expected.into_stall.count());
  }
}

RC_GTEST_PROP(Stretch, KnowsWhenStepsAndCheckpointsComplete, ()) {
  const Stretch stretch = any_stretch();
  const StepByStep model(stretch, stretch.origin + 150ns);
  for (std::size_t step = 0; step < model.step_done().size(); ++step) {
    RC_ASSERT(stretch.time_of_step(static_cast<std::int64_t>(step)) == model.step_done()[step]);
  }
  for (std::size_t i = 0; i < model.checkpoint_done().size(); ++i) {
    const auto n = static_cast<std::int64_t>(i) + 1;
    RC_ASSERT(stretch.steps_before_checkpoint(n) == model.checkpoint_after()[i]);
    RC_ASSERT(stretch.time_of_checkpoint(n) == model.checkpoint_done()[i]);
  }
}

// A pause moves the origin: what was complete stays complete.
RC_GTEST_PROP(Stretch, GoesOnWhereItStoodWhenItsOriginMoves, ()) {
  const Stretch stretch = any_stretch();
  const Duration passed(*rc::gen::inRange<std::int64_t>(0, 100)),
      pause(*rc::gen::inRange<std::int64_t>(0, 100));
  Stretch moved = stretch;
  moved.origin += pause;
  const Reached before = stretch.reached_at(stretch.origin + passed);
  const Reached after = moved.reached_at(stretch.origin + passed + pause);
  RC_ASSERT(after.steps == before.steps && after.checkpoints == before.checkpoints);
  RC_ASSERT((after.into_step == before.into_step && after.into_stall == before.into_stall));
}

bool same(const Reached& a, const Reached& b) {
  return a.steps == b.steps && a.checkpoints == b.checkpoints && a.into_step == b.into_step &&
         a.into_stall == b.into_stall;
}

RC_GTEST_PROP(Stretch, StandsWhereItStandsHoweverItIsAsked, ()) {
  Stretch stretch = any_stretch();
  const Time until = stretch.origin + 120ns;
  for (stretch.begin = stretch.origin; stretch.begin <= until; stretch.begin += 1ns) {
    const Reached begun = stretch.reached_at(stretch.begin);
    for (Time now = stretch.begin; now <= until; now += 1ns)
      RC_ASSERT(same(stretch.reached_at(now, begun), stretch.reached_at(now)));
  }
}

RC_GTEST_PROP(Stretch, ResumesOneThatItGoesOnFrom, ()) {
  Stretch before = any_stretch();
  before.end = before.begin + Duration(*rc::gen::inRange<std::int64_t>(1, 100));
  const Duration pause(*rc::gen::inRange<std::int64_t>(0, 100));
  Stretch after = before;
  after.begin = before.end + pause;
  after.origin = before.origin + pause;
  RC_ASSERT(after.resumes(before));
  RC_ASSERT(same(after.reached_at(after.begin), before.reached_at(before.end)));
  Stretch other = after;
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      other.origin += 1ns;
      break;
    case 1:
      ++other.first_step;
      break;
    case 2:
      other.step += 1ns;
      break;
    default:
      other.cadence.stall += 1ns;
  }
  RC_ASSERT(!other.resumes(before));
}

TEST(Stretch, WorkedExample) {
  // Steps of 10 s; the first checkpoint after 3 steps, then after every 2; each blocks for 4 s.
  Stretch stretch;
  stretch.origin = stretch.begin = stretch.end = kStart + 100s;
  stretch.step = stretch.healthy_step = 10s;
  stretch.cadence = {.first = 3, .every = 2, .stall = 4s};
  const struct {
    Duration since;
    std::int64_t steps, checkpoints;
    Duration into_step, into_stall;
  } table[] = {
      {0s, 0, 0, 0s, 0s},  {9s, 0, 0, 9s, 0s},  {30s, 3, 0, 0s, 0s},  // at the boundary it has not begun
      {31s, 3, 0, 0s, 1s}, {34s, 3, 1, 0s, 0s}, {44s, 4, 1, 0s, 0s}, {54s, 5, 1, 0s, 0s},
      {57s, 5, 1, 0s, 3s}, {58s, 5, 2, 0s, 0s}, {63s, 5, 2, 5s, 0s},
  };
  for (const auto& row : table) {
    const Reached reached = stretch.reached_at(stretch.origin + row.since);
    EXPECT_EQ(reached.steps, row.steps) << row.since.count();
    EXPECT_EQ(reached.checkpoints, row.checkpoints) << row.since.count();
    EXPECT_EQ(reached.into_step, row.into_step) << row.since.count();
    EXPECT_EQ(reached.into_stall, row.into_stall) << row.since.count();
  }
  EXPECT_EQ(stretch.time_of_step(5), stretch.origin + 54s);        // 50 s and one checkpoint
  EXPECT_EQ(stretch.time_of_step(6), stretch.origin + 68s);        // 60 s and two
  EXPECT_EQ(stretch.time_of_checkpoint(2), stretch.origin + 58s);  // 5 steps and two stalls
}

// Months at one pace: nothing overflows, nothing is lost to rounding.
TEST(Stretch, HoldsForYears) {
  Stretch stretch;
  stretch.step = stretch.healthy_step = 7ns;
  stretch.cadence = {.first = 0, .every = 1, .stall = 3ns};
  const std::int64_t many = 900'000'000'000'000'000;
  EXPECT_EQ(stretch.time_of_step(many), at(9'000'000'000'000'000'000));  // 285 years: (7 + 3) ns a step
  const Reached reached = stretch.reached_at(at(9'000'000'000'000'000'004));
  EXPECT_EQ(reached.steps, many);
  EXPECT_EQ(reached.checkpoints, many + 1);
  EXPECT_EQ(reached.into_step, 1ns);
  stretch.cadence = {};
  EXPECT_EQ(stretch.reached_at(at(std::numeric_limits<std::int64_t>::max())).checkpoints, 0);
}

}  // namespace
}  // namespace gauntlet
