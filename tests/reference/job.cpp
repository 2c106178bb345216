// The job: starts, steps, pauses, stops, the end of the run.
#include "core/contract.hpp"
#include "core/record/evaluation.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <cmath>
#include <utility>

namespace gauntlet::reference {

// --- starts ----------------------------------------------------------------------------------------------------------

/// Keys job.start.*: provisioning (before the first start, and after the hosts were given back), scheduling, processes and
/// communicators; then the checkpoint is loaded; then data loader and warm-up. A phase takes (GPUs / at_gpus) to the power of
/// its growth as long as it was measured.
Duration ReferenceCluster::start_phases(const Start& start, bool before_load) const {
  const StartChain& chain = world_->job.start;
  const double scale =
      chain.at_gpus == 0 ? 1 : world_->job.layout.ranks() / static_cast<double>(chain.at_gpus);
  const auto takes = [&](const Law& law, double growth) {
    return from_seconds(law.mean() * std::pow(scale, growth));
  };
  if (!before_load)
    return takes(chain.data_loader, chain.growth.data_loader) + takes(chain.warm_up, chain.growth.warm_up);
  Duration all = takes(chain.process_start, chain.growth.process_start) +
                 takes(chain.communicator_init, chain.growth.communicator_init);
  if (start.schedule) all += takes(chain.scheduling, chain.growth.scheduling);
  if (!provisioned_) all += takes(chain.provisioning, 0);
  return all;
}

/// Start: from the newest checkpoint that can be read, on hosts in every slot. What a restart cures is gone with the old
/// processes (Remedy::restart in models/fault/fault.hpp).
void ReferenceCluster::begin_start(const Order& order, const Start& start) {
  if (ranks_ != Ranks::none || !vacant_.empty()) return answer_now(order, Status::failed);
  started_as_ = start;
  end_faults_cured_by_restart();
  ranks_ = Ranks::starting;
  loading_ = what_to_load(start);
  const Duration before = start_phases(start, true), after_load = start_phases(start, false);
  provisioned_ = true;
  ++starts_;
  load_begins_ = after(agenda_.now(), before);
  load_ends_ = load_held_until_ = after(load_begins_, loading_.takes);
  load_held_until_ = kStart;
  Open& starting = open(order, before + loading_.takes + after_load);
  start_due_ = std::get<Time>(starting.due);
  for (const Fault& fault : faults_)
    if (kind(fault).halts_storage && on_job(fault)) load_waits(fault.heals);
  faults_meet_job(FaultClock::start);
  faults_strike_at_start();
}

/// A checkpoint that is being loaded from storage waits until storage answers again (key halts_storage).
void ReferenceCluster::load_waits(Time until) {
  if (ranks_ != Ranks::starting || loading_.from != Tier::storage) return;
  const Time from = std::max({agenda_.now(), load_begins_, load_held_until_});
  if (from >= std::max(load_ends_, load_held_until_) || until <= from) return;
  load_held_until_ = until;
  load_ends_ = after(load_ends_, until - from);
  start_due_ = after(start_due_, until - from);
  Open* order = find_open<Start>();
  agenda_.cancel(order->due);
  const OrderId id = order->order.id;
  order->due = agenda_.at(start_due_, Rank::world, [this, id] { order_due(id); });
}

void ReferenceCluster::start_done() {
  Open* order = find_open<Start>();
  expect(order != nullptr, "a start that ends was ordered");
  const Open done = *close(order->order.id);
  loaded(loading_);
  begin_training(loading_.step);
  answer(done, Status::done, Loaded{loading_.step});
  faults_meet_job(FaultClock::training);
}

/// The start does not come through. The launcher learns of it as any driver would: by the exit that a heartbeat carries, or
/// when the collective timeout is over (docs/decisions.md, 2026-11-23, "What a reference cluster had to be told").
void ReferenceCluster::start_will_fail(const Fault& fault) {
  Open* order = find_open<Start>();
  Time fails = after(agenda_.now(), started_as_.collective_timeout);
  if (kind(fault).effect == Effect::crash && !kind(fault).symptoms.heartbeat_lost)
    for (const std::uint32_t slot : slots_of(fault)) fails = std::min(fails, next_heard(*seats_[slot]));
  agenda_.cancel(order->due);
  const OrderId id = order->order.id;
  order->due = agenda_.at(fails, Rank::timer, [this, id] { answer(*close(id), Status::failed); });
  ranks_ = Ranks::stuck;
  starts_in_vain();
}

// --- training --------------------------------------------------------------------------------------------------------

/// The interval of a tier goes on from what it holds, and not from the restart (docs/decisions.md, 2026-11-22, "What a tier
/// holds goes with what is gone").
void ReferenceCluster::begin_training(std::int64_t step) {
  agenda_.cancel(start_notice_);
  ranks_ = Ranks::up;
  paused_ = evaluating_ = false;
  step_ = step;
  const std::int64_t every = world_->job.evaluation.every;
  evaluated_ = every > 0 ? step - step % every : step;
  last_step_ = agenda_.now();
  step_takes_ = pace();
  for (std::size_t t = 0; t + 1 < kTiers; ++t)
    trained_since_[t] = copies_[t] ? (step - copies_[t]->step) * step_takes_ : Duration{};
  trained_since_[2] = (step - (stored_.empty() ? 0 : stored_.back().second)) * step_takes_;
  plan_checkpoints();
  filters_start_afresh();
  at_boundary();
  // A checkpoint that takes no time and was due is not a sample: it was complete when the job's agent began to look.
  agenda_.cancel(sampled_);
  samples_.clear();
}

/// A step takes what the step model says of the present state of the job's hosts (models/step). A change of pace waits for the
/// next step boundary (docs/decisions.md, 2026-11-20, "Progress as stretches").
Duration ReferenceCluster::pace() const {
  std::vector<const Fault*> all;
  for (const Fault& fault : faults_) all.push_back(&fault);
  const ClusterState state = state_with(all);
  return state.healthy() ? steps_.healthy() : steps_.time(state);
}

/// Between two steps: the work may be done, the model is evaluated, a checkpoint is taken, or the next step begins.
void ReferenceCluster::at_boundary() {
  activity_ = Activity::none;
  if (world_->job.steps > 0 && step_ >= world_->job.steps) {
    take_checkpoint_at_once();
    job_end_ = agenda_.at(agenda_.now(), Rank::end, [this] { finish(Ending::completed); });
    return;
  }
  const Evaluation& evaluation = world_->job.evaluation;
  if (evaluation.every > 0 && step_ - evaluated_ >= evaluation.every) {
    // A checkpoint that is due here comes after it, unless it takes no time.
    take_checkpoint_at_once();
    return evaluation_begins();
  }
  take_checkpoint_at_once();
  pace_and_plan();
  log_stretch();
  if (const auto due = checkpoint_due()) {
    if (stall_of(*due) > Duration::zero()) return begin_checkpoint(*due);
    take_checkpoint_at_once();
    log_stretch();
  }
  begin_activity(Activity::step, step_takes_);
}

/// A periodic checkpoint that takes no time is complete with its step. One that is ordered for this boundary comes after it;
/// where the periodic one takes time, the ordered one takes its place.
void ReferenceCluster::take_checkpoint_at_once() {
  const auto due = checkpoint_due();
  if (!due || stall_of(*due) > Duration::zero()) return;
  saving_ = due;
  saving_wanted_ = checkpoint_wanted_ && !plan_wanted_;
  if (saving_wanted_) report_samples();
  if (*due == Tier::storage && !saving_wanted_) sample(Signal::checkpoint_stall, 0);
  take_checkpoint();
}

void ReferenceCluster::pace_and_plan() {
  const Duration before = std::exchange(step_takes_, pace());
  if (plan_wanted_ || step_takes_ != before) plan_checkpoints();
}

void ReferenceCluster::begin_checkpoint(Tier far) {
  saving_ = far;
  saving_wanted_ = checkpoint_wanted_;
  begin_activity(Activity::stall, stall_of(far));
}

void ReferenceCluster::begin_activity(Activity what, Duration takes) {
  activity_ = what;
  activity_takes_ = takes;
  activity_end_ = agenda_.now() + takes;
  activity_ends_ = agenda_.at(activity_end_, Rank::training, [this] { activity_done(); });
}

void ReferenceCluster::activity_done() {
  if (activity_ == Activity::step) return step_done();
  const Tier far = *saving_;
  const bool periodic = !saving_wanted_;
  take_checkpoint();
  if (far == Tier::storage && periodic) sample(Signal::checkpoint_stall, to_seconds(stall_of(far)));
  after_checkpoint();
}

/// The stall of a checkpoint is over; the next step begins, unless another checkpoint was asked for meanwhile.
void ReferenceCluster::after_checkpoint() {
  close_stretch();
  activity_ = Activity::none;
  pace_and_plan();
  log_stretch();
  if (checkpoint_wanted_) return begin_checkpoint(Tier::storage);
  begin_activity(Activity::step, step_takes_);
}

/// "Progress is a high-water mark of completed steps, never lowered" (house plan, "Where the time goes").
void ReferenceCluster::step_done() {
  ++step_;
  last_step_ = agenda_.now();
  for (Duration& each : trained_since_) each += step_takes_;
  --steps_left_;
  if (step_ > mark_) {
    mark_ = step_;
    progress_at_ = agenda_.now();
    give_up_later();
  }
  sample(Signal::step, to_seconds(step_takes_));
  sample(Signal::loss, loss());
  at_boundary();
}

// --- the progress log ------------------------------------------------------------------------------------------------

/// A stretch is training at one pace up to the next checkpoint and through it (core/record/progress.hpp). At a boundary: opens
/// one where none is open, and another one where what is to come is no longer what the open one says.
void ReferenceCluster::log_stretch() {
  Stretch next;
  next.begin = next.end = next.origin = agenda_.now();
  next.first_step = step_;
  next.step = step_takes_;
  next.healthy_step = steps_.healthy();
  if (!levels_.empty() && steps_left_ < kNoCheckpoint / 2) {
    next.cadence.first = steps_left_;
    next.cadence.stall = stall_of(next_reaches());
  }
  if (stretch_) {
    const std::int64_t done = step_ - stretch_->first_step;
    const bool goes_on =
        stretch_->step == next.step && (stretch_->cadence.first == next.cadence.first ||
                                        (stretch_->cadence.first - done == next.cadence.first &&
                                         stretch_->cadence.stall == next.cadence.stall));
    if (goes_on && (done == 0 || stretch_->cadence.first == kNoCheckpoint || done < stretch_->cadence.first ||
                    next.cadence.first == 0))
      return;
    close_stretch();
  }
  stretch_ = next;
}

void ReferenceCluster::close_stretch() {
  if (!stretch_) return;
  stretch_->end = agenda_.now();
  if (stretch_->end > stretch_->begin) progress_.stretches.push_back(*stretch_);
  stretch_.reset();
}

// --- pauses ----------------------------------------------------------------------------------------------------------

/// "a pause moves a stretch's origin and changes nothing else" (docs/decisions.md, 2026-11-20, "Progress as stretches").
void ReferenceCluster::pause(FaultKindId by) {
  report_samples();
  paused_ = true;
  progress_.pauses.push_back({agenda_.now(), agenda_.now(), by});
  if (activity_ != Activity::none) {
    agenda_.cancel(activity_ends_);
    activity_left_ = activity_end_ - agenda_.now();
  }
  if (stretch_) {
    paused_stretch_ = *stretch_;
    paused_stretch_->end = agenda_.now();
  }
  close_stretch();
}

void ReferenceCluster::go_on() {
  paused_ = false;
  progress_.pauses.back().end = agenda_.now();
  if (progress_.pauses.back().begin == agenda_.now()) progress_.pauses.pop_back();
  // A pause that began at a step boundary ends at one: what changed meanwhile holds from now on.
  const bool at_start = activity_left_ == activity_takes_;
  if (activity_ == Activity::none || at_start) return at_boundary();
  if (paused_stretch_) {
    stretch_ = *paused_stretch_;
    stretch_->begin = agenda_.now();
    stretch_->origin = agenda_.now() - (paused_stretch_->end - paused_stretch_->origin);
    paused_stretch_.reset();
  }
  const Duration takes = activity_takes_;
  begin_activity(activity_, activity_left_);
  activity_takes_ = takes;
}

/// Key job.evaluation: "pauses in which the model is evaluated", after every so many steps of the job, whenever it was started.
void ReferenceCluster::evaluation_begins() {
  evaluating_ = true;
  evaluated_ = step_;
  pause(kEvaluation);
  evaluation_ = agenda_.after(world_->job.evaluation.time, Rank::world, [this] { evaluation_ends(); });
}

/// A pause that began meanwhile goes on as a pause of its own (core/record/progress.hpp).
void ReferenceCluster::evaluation_ends() {
  evaluating_ = false;
  const Fault* stall = first_stall();
  if (stall == nullptr) return resume_unless_paused();
  progress_.pauses.back().end = agenda_.now();
  progress_.pauses.push_back({agenda_.now(), agenda_.now(), stall->kind});
  expect_collective_timeout();
}

// --- the end ---------------------------------------------------------------------------------------------------------

/// Training ends at once: the step under way is lost, and so is what a tier does not hold all of yet (core/tier.hpp).
void ReferenceCluster::cut_training() {
  if (ranks_ != Ranks::up) return;
  report_samples();
  if (paused_) {
    progress_.pauses.back().end = agenda_.now();
  } else {
    agenda_.cancel(activity_ends_);
    close_stretch();
  }
  activity_ = Activity::none;
  paused_stretch_.reset();
  paused_ = evaluating_ = false;
  agenda_.cancel(job_end_);
  agenda_.cancel(evaluation_);
  agenda_.cancel(collective_timeout_);
  storage_halted_ = false;
  abandon_copies();
  if (Open* one = find_open<Checkpoint>()) answer(*close(one->order.id), Status::failed);
  checkpoint_wanted_ = false;
}

/// Stop: "ends every rank; done when none is left" (core/action.hpp).
void ReferenceCluster::stop_ranks() {
  cut_training();
  nothing_more_is_sampled();
  no_victims();
  forget_exits();
  nobody_notices();
  if (Open* start = find_open<Start>()) answer(*close(start->order.id), Status::failed);
  ranks_ = Ranks::none;
}

/// Key job.give_up_after: "without progress".
void ReferenceCluster::give_up_later() {
  agenda_.cancel(give_up_);
  give_up_ = agenda_.at(after(progress_at_, world_->job.give_up_after), Rank::end,
                        [this] { finish(Ending::gave_up); });
}

void ReferenceCluster::finish(Ending ending) {
  if (ranks_ == Ranks::up) {
    if (paused_) {
      progress_.pauses.back().end = agenda_.now();
    } else {
      close_stretch();
    }
  }
  finished_ = true;
  observe(Finished{JobId{}, ending});
}

}  // namespace gauntlet::reference
