#include "sim/faults/fault_clocks.hpp"

#include "core/saturating.hpp"

#include <algorithm>

namespace gauntlet {

void FaultClocks::reset(Seed seed) {
  arrivals_.emplace(*world_, seed);
  due_ = {};
  training_ = false;
  trained_ = {};
  starts_ = 0;
}

double FaultClocks::reading(FaultClock clock) const {
  if (clock == FaultClock::always) return to_seconds(engine_->now() - kStart);
  return to_seconds(trained_ + (training_ ? engine_->now() - training_since_ : Duration::zero()));
}

void FaultClocks::training_runs() {
  training_ = true;
  training_since_ = engine_->now();
  schedule(FaultClock::training);
}

void FaultClocks::training_halts() {
  trained_ += engine_->now() - training_since_;
  training_ = false;
  engine_->hold(due_[index(FaultClock::training)]);
}

void FaultClocks::schedule(FaultClock clock) {
  Time due = kNever;
  const double next = arrivals_->next_time(clock);
  if (clock == FaultClock::always) {
    due = after(kStart, from_seconds(next));
  } else if (training_) {
    due = after(engine_->now(), from_seconds(next - reading(clock)));
  }
  due = std::max(due, engine_->now());
  Timer& timer = due_[index(clock)];
  Time& set_to = due_at_[index(clock)];
  if (engine_->pending(timer) && set_to == due) return;  // most changes leave the next fault where it was
  set_to = due;
  engine_->set(timer, due, Priority::fault, FaultDue{clock});
}

}  // namespace gauntlet
