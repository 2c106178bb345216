#include "sim/gang.hpp"

#include "core/contract.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

std::int64_t ceil_div(Duration a, Duration b) { return a / b + (a % b > Duration::zero() ? 1 : 0); }

}  // namespace

void Gang::reset() {
  ProgressLog* log = log_;
  *this = Gang(*log);
}

Cadence Gang::cadence(Duration step, Duration trained, bool checkpoint_now) const {
  Cadence cadence{.first = kNoCheckpoint, .every = kNoCheckpoint, .stall = checkpointing_.stall};
  if (checkpointing_.interval != kForever) {
    cadence.every = std::max<std::int64_t>(1, ceil_div(checkpointing_.interval, step));
    const Duration left = checkpointing_.interval - trained;
    cadence.first = left <= Duration::zero() ? 0 : ceil_div(left, step);
  }
  if (checkpoint_now) cadence.first = 0;
  return cadence;
}

void Gang::begin(Time now, std::int64_t step, Pace pace, Checkpointing checkpointing) {
  expect(state_ == State::down, "a gang begins once");
  checkpointing_ = checkpointing;
  trained_ = {};
  wanted_ = false;
  settled_ = 0;
  stretch_ = {.begin = now,
              .end = now,
              .origin = now,
              .first_step = step,
              .step = pace.step,
              .healthy_step = pace.healthy_step,
              .cadence = cadence(pace.step, {}, false)};
  last_step_ = now;
  state_ = State::training;
}

void Gang::close(Time now) {
  last_step_ = last_step_time(now);
  stretch_.end = now;
  if (stretch_.end > stretch_.begin) log_->stretches.push_back(stretch_);
}

void Gang::settle_written(Time now) {
  for (const Written& each : writing_) {
    if (each.durable <= now) durable_ = std::max(durable_, each.step);
  }
  std::erase_if(writing_, [now](const Written& each) { return each.durable <= now; });
}

void Gang::settle_durable(Time now) {
  // Those taken since the last settling: a pause since then would have moved the times of the earlier ones.
  const std::int64_t taken = stretch_.reached_at(now).checkpoints;
  if (settled_ < taken) {
    const Time seen = now - checkpointing_.persist;  // what was complete by then is durable now
    const std::int64_t durable = seen < stretch_.begin ? 0 : stretch_.reached_at(seen).checkpoints;
    const auto step_of = [this](std::int64_t n) {
      return stretch_.first_step + stretch_.steps_before_checkpoint(n);
    };
    if (durable > settled_) durable_ = std::max(durable_, step_of(durable));
    for (std::int64_t n = std::max(settled_, durable) + 1; n <= taken; ++n) {
      writing_.push_back({step_of(n), stretch_.time_of_checkpoint(n) + checkpointing_.persist});
    }
    settled_ = taken;
  }
  settle_written(now);
}

void Gang::cut(Time now) {
  expect(state_ != State::down, "a gang that is down cannot be cut");
  if (state_ == State::paused) {
    log_->pauses.back().end = now;
    settle_written(now);
  } else {
    settle_durable(now);
    close(now);
  }
  writing_.clear();
  state_ = State::down;
}

void Gang::pause(Time now, FaultKindId by) {
  expect(state_ == State::training, "only a gang that trains can be paused");
  settle_durable(now);
  close(now);
  log_->pauses.push_back({.begin = now, .end = now, .kind = by});
  state_ = State::paused;
}

void Gang::resume(Time now) {
  expect(state_ == State::paused, "only a paused gang resumes");
  Pause& pause = log_->pauses.back();
  pause.end = now;
  stretch_.origin += now - pause.begin;  // the arithmetic goes on where it stood
  stretch_.begin = now;
  state_ = State::training;
}

Time Gang::boundary_after(Time now) const {
  const Reached reached = stretch_.reached_at(now);
  if (reached.into_stall > Duration::zero()) return now + (stretch_.cadence.stall - reached.into_stall);
  if (reached.into_step == Duration::zero()) return now;
  return now + (stretch_.step - reached.into_step);
}

void Gang::change(Time boundary, Pace pace, Checkpointing checkpointing, bool checkpoint_now) {
  expect(state_ == State::training, "only a gang that trains changes its pace");
  const Reached reached = stretch_.reached_at(boundary);
  expect(reached.into_step == Duration::zero() && reached.into_stall == Duration::zero(),
         "changes wait for a boundary");
  settle_durable(boundary);
  close(boundary);
  const std::int64_t since = reached.checkpoints == 0
                                 ? reached.steps
                                 : reached.steps - stretch_.steps_before_checkpoint(reached.checkpoints);
  trained_ = (reached.checkpoints == 0 ? trained_ : Duration::zero()) + since * stretch_.step;
  checkpointing_ = checkpointing;
  wanted_ =
      checkpoint_now || (wanted_ && reached.checkpoints == 0);  // asked for at this same boundary: still owed
  settled_ = 0;
  stretch_ = {.begin = boundary,
              .end = boundary,
              .origin = boundary,
              .first_step = stretch_.first_step + reached.steps,
              .step = pace.step,
              .healthy_step = pace.healthy_step,
              .cadence = cadence(pace.step, trained_, wanted_)};
  if (wanted_) trained_ = {};
}

Time Gang::last_step_time(Time now) const {
  if (state_ != State::training) return last_step_;
  const std::int64_t steps = stretch_.reached_at(now).steps;
  const std::int64_t before = stretch_.reached_at(stretch_.begin).steps;
  return steps == before ? last_step_ : stretch_.time_of_step(steps);
}

Time Gang::next_step_time(Time now) const {
  return stretch_.time_of_step(stretch_.reached_at(now).steps + 1);
}

Time Gang::next_checkpoint_time(Time now) const {
  if (stretch_.cadence.first == kNoCheckpoint) return kNever;
  const std::int64_t taken = stretch_.reached_at(now).checkpoints;
  if (taken == 1 && stretch_.cadence.every == kNoCheckpoint) return kNever;
  return stretch_.time_of_checkpoint(taken + 1);
}

}  // namespace gauntlet
