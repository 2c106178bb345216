#include "sim/telemetry/job_signals.hpp"

#include "core/saturating.hpp"

#include <algorithm>

namespace gauntlet {

void JobSignals::watch(const Watch& watch) {
  expect(watch.signal == Signal::step || watch.signal == Signal::checkpoint_stall ||
             watch.signal == Signal::loss,
         "a job reports its own signals");
  report_due();  // a new watch sees what comes after it
  Entry entry{watch, SilenceFilter(), {}};
  if (const auto* silence = std::get_if<Silence>(&watch.until)) {
    expect(watch.signal == Signal::step, "only steps come regularly");
    entry.filter = SilenceFilter(*silence, running_ ? gang_->last_step_time(engine_->now()) : engine_->now());
  } else if (const auto* band = std::get_if<Outside>(&watch.until)) {
    entry.filter = OutsideFilter(*band);
  } else {
    entry.filter = SampleFilter(std::get<Sample>(watch.until));
  }
  entries_.push_back(entry);
  settled_ = false;
  if (running_) {
    arm(entries_.back());
    schedule();
  }
}

void JobSignals::unwatch(WatchId watch) {
  std::erase_if(entries_, [&](Entry& each) {
    if (each.watch.id != watch) return false;
    engine_->cancel(each.missing);
    return true;
  });
}

void JobSignals::began() {
  running_ = true;
  settled_ = false;
  for (Entry& entry : entries_) {
    if (auto* silence = std::get_if<SilenceFilter>(&entry.filter)) {
      *silence = SilenceFilter(std::get<Silence>(entry.watch.until), engine_->now());
    } else if (std::holds_alternative<OutsideFilter>(entry.filter)) {
      entry.filter = OutsideFilter(std::get<Outside>(entry.watch.until));
    }
  }
  after_change();
}

void JobSignals::gone() {
  running_ = false;
  forget_due();
  for (const Entry& entry : entries_) engine_->hold(entry.missing);
}

void JobSignals::before_change() {
  if (!running_ || gang_->state() == Gang::State::paused) return;  // no step is due
  report_due();
  forget_due();
  // Steps that no event told the filters of.
  for (Entry& entry : entries_) {
    auto* silence = std::get_if<SilenceFilter>(&entry.filter);
    if (silence == nullptr || full_ || silence->silent()) continue;
    silence->on_sample(gang_->last_step_time(engine_->now()));
  }
}

void JobSignals::forget_due() {
  engine_->hold(step_due_);
  engine_->hold(checkpoint_due_);
  step_due_at_ = checkpoint_due_at_ = kNever;
}

void JobSignals::after_change() {
  if (!running_) return;
  for (Entry& entry : entries_) arm(entry);
  schedule();
}

// --- silence -------------------------------------------------------------------------------------------------------

Time JobSignals::first_silence(Duration longest, const SilenceFilter& filter) const {
  if (gang_->heals_by(filter.deadline())) return kNever;
  if (full_ || gang_->state() != Gang::State::training) return filter.deadline();
  const Time now = engine_->now();
  const Time last = gang_->last_step_time(now);
  const Time next = gang_->next_step_time(now);
  if (next - last > longest) return after(last, longest);
  const Stretch& stretch = gang_->stretch();
  if (stretch.step > longest) return after(next, longest);
  // Checkpoints that go further block training at least as long as the others.
  const Cadence& cadence = stretch.cadence;
  const auto silent = [&](Duration stall) { return sum(stretch.step, stall) > longest; };
  Cadence::Further found{.every = silent(cadence.stall) ? 1 : 0, .taken = 0, .stall = {}};
  for (const Cadence::Further& each : cadence.further) {
    if (found.every == 0 && each.every > 0 && silent(each.stall)) found = each;
  }
  if (cadence.first == kNoCheckpoint || found.every == 0) return kNever;
  const std::int64_t taken = stretch.reached_at(next).checkpoints;
  if (taken > 0 && cadence.every == kNoCheckpoint) return kNever;  // there was but one
  const std::int64_t checkpoint = ((taken + found.taken) / found.every + 1) * found.every - found.taken;
  return after(stretch.time_of_step(stretch.steps_before_checkpoint(checkpoint)), longest);
}

void JobSignals::arm(Entry& entry) {
  const auto* silence = std::get_if<SilenceFilter>(&entry.filter);
  if (silence == nullptr) return;
  const Time at =
      silence->silent() ? kNever : first_silence(std::get<Silence>(entry.watch.until).longest, *silence);
  // Held where there is none.
  engine_->set(entry.missing, std::max(at, engine_->now()), Priority::timer, StepMissing{entry.watch.id});
}

void JobSignals::on(const StepMissing& event) {
  // Every watch whose time has come, in their order, however their timers came about.
  for (Entry& entry : entries_) {
    auto* silence = std::get_if<SilenceFilter>(&entry.filter);
    if (silence == nullptr || silence->silent()) continue;
    if (!full_ && gang_->state() == Gang::State::training)
      silence->on_sample(gang_->last_step_time(engine_->now()));
    if (const auto edge = silence->on_deadline(engine_->now())) {
      settled_ = false;  // its end is news
      report(entry, *edge, 0);
    } else if (entry.watch.id == event.watch) {
      arm(entry);
    }
  }
  schedule();
}

// --- samples -------------------------------------------------------------------------------------------------------

bool JobSignals::wants(Signal signal, double value) const {
  if (full_) return true;
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    if (entry.watch.signal != signal) return false;
    if (const auto* silence = std::get_if<SilenceFilter>(&entry.filter)) return silence->silent();
    if (const auto* band = std::get_if<OutsideFilter>(&entry.filter)) return band->would_report(value);
    return std::get<SampleFilter>(entry.filter).would_report(value);
  });
}

void JobSignals::schedule() {
  if (gang_->state() != Gang::State::training) return;
  const Duration step = gang_->stretch().step, stall = gang_->storage_stall();
  if (settled_ && step == settled_step_ && stall == settled_stall_) return;
  settled_step_ = step;
  settled_stall_ = stall;
  const Time now = engine_->now();
  const bool steps = wants(Signal::step, step_seconds()) || wants(Signal::loss, loss_);
  const bool checkpoints = wants(Signal::checkpoint_stall, stall_seconds());
  if (steps && !engine_->pending(step_due_)) {
    step_due_at_ = gang_->next_step_time(now);
    engine_->set(step_due_, step_due_at_, Priority::telemetry, StepDue{});
  }
  if (checkpoints && !engine_->pending(checkpoint_due_)) {
    checkpoint_due_at_ = gang_->next_periodic_checkpoint_time(now);
    engine_->set(checkpoint_due_, checkpoint_due_at_, Priority::telemetry, CheckpointDue{});
  }
  settled_ = !steps && !checkpoints;
}

void JobSignals::report(const Entry& entry, Edge edge, double value) {
  Seen& seen = out_->note(component(JobId{0}));
  seen.watch = entry.watch.id;
  seen.edge = edge;
  seen.value = value;
}

void JobSignals::sample(Signal signal, double value) {
  for (Entry& entry : entries_) {
    if (entry.watch.signal != signal) continue;
    std::optional<Edge> edge;
    if (auto* silence = std::get_if<SilenceFilter>(&entry.filter)) {
      edge = silence->on_sample(engine_->now());
      if (edge) arm(entry);
    } else if (auto* band = std::get_if<OutsideFilter>(&entry.filter)) {
      edge = band->on_sample(value);
    } else {
      edge = std::get<SampleFilter>(entry.filter).on_sample(value);
    }
    if (edge) report(entry, *edge, value);
  }
}

void JobSignals::report_due() {
  // A checkpoint that takes no time completes with its step: the step is told first.
  const Time now = engine_->now();
  if (step_due_at_ == now) {
    engine_->hold(step_due_);
    step_due_at_ = kNever;
    sample(Signal::step, step_seconds());
    sample(Signal::loss, loss_);
  }
  if (checkpoint_due_at_ == now) {
    engine_->hold(checkpoint_due_);
    checkpoint_due_at_ = kNever;
    sample(Signal::checkpoint_stall, stall_seconds());
  }
}

void JobSignals::on(const StepDue&) {
  report_due();
  schedule();
}

void JobSignals::on(const CheckpointDue&) {
  report_due();
  schedule();
}

}  // namespace gauntlet
