// What happens to the job of the cluster: training, pauses, changes of pace and stop requests.
#include "sim/sim_cluster.hpp"

#include "core/saturating.hpp"

#include <algorithm>
#include <chrono>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

// About a millisecond of work: the check of the stop flag then costs almost nothing, and a stop takes effect almost at
// once.
constexpr std::uint64_t kEventsBetweenLooks = 1024;

}  // namespace

SimCluster::SimCluster(const World& world)
    : world_(&world),
      orders_(engine_, out_),
      hosts_(world, engine_),
      faults_(world, hosts_, orders_, engine_),
      training_(world, engine_),
      lost_work_(world),
      checkpoints_(world, hosts_, orders_, engine_),
      start_(world),
      monitoring_(world, hosts_, training_.gang(), engine_, out_),
      examination_(world, hosts_, faults_.active()),
      people_(world, engine_) {}

void SimCluster::reset(Seed seed, bool full_telemetry, const std::atomic<bool>* stop) {
  engine_.reset();
  out_.clear();
  finished_ = ends_when_down_ = false;
  stop_ = stop;
  given_ = 0;
  orders_.clear();
  hosts_.reset(seed);
  other_jobs_.emplace(world_->shared, hosts_held(*world_), seed);
  faults_.reset(seed);
  training_.reset(seed);
  lost_work_.reset();
  checkpoints_.reset();
  start_.reset(seed);
  monitoring_.reset(seed, full_telemetry);
  examination_.reset(seed);
  people_.reset(seed);

  schedule_planned_stop(0);
  for (std::uint32_t i = 0; i < world_->operators.size(); ++i)
    engine_.at(world_->operators[i].at, Priority::world, OperatorDue{i});
  engine_.at(other_jobs_->next_time(), Priority::world, OtherJobsDue{});
  if (world_->job.window > Duration::zero()) {
    engine_.at(std::min(after(kStart, world_->job.window), kLast), Priority::end, JobEnds{Ending::time_over});
  }
  training_.watch_for_no_progress();
  out_.push(kStart, Started{JobId{0}, world_->inventory});
  for (const Strike& present : faults_.clocks().present_at_start()) strike(present);
  // After the faults that are there from the beginning: those components do not fail again.
  faults_.clocks().schedule(FaultClock::always);
}

bool SimCluster::is_abandoned() const {
  return stop_ != nullptr && engine_.events() % kEventsBetweenLooks == 0 &&
         stop_->load(std::memory_order_relaxed);
}

bool SimCluster::has_too_much_on_record() const {
  return given_ + truth().size() + progress().stretches.size() + progress().pauses.size() >= kMostOnRecord;
}

std::optional<Observed> SimCluster::next(Time until) {
  while (true) {
    if (!out_.empty()) {
      ++given_;
      return out_.take();
    }
    if (finished_ || has_too_much_on_record() || is_abandoned()) return std::nullopt;
    const std::optional<Event> event = engine_.next(until);
    if (!event) return std::nullopt;
    engine_.fingerprint().add(std::uint64_t{event->index()});
    std::visit([this](const auto& what) { on(what); }, *event);
  }
}

// --- training --------------------------------------------------------------------------------------------------------

/// As faults and orders have them now.
TrainingJob::Conditions SimCluster::conditions() const {
  TrainingJob::Conditions now{
      .present = faults_.cluster_state(), .pace = {}, .checkpointing = checkpoints_.plan()};
  now.pace = hosts_.size().pace(now.present);
  return now;
}

void SimCluster::begin_training() {
  const Loadable& loaded = start_.loads();
  training_.begin(loaded.step, loaded.from, conditions());
  checkpoints_.loaded();
  monitoring_.training_began(faults_.loss(), training_.present().slow);
  run_training();
}

/// Starts the clock of training, and sets the timers of what comes during training.
void SimCluster::run_training() {
  faults_.clocks().training_runs();
  training_.run();
  faults_.wait_for_same_step(training_.gang());
}

void SimCluster::halt_training() {
  faults_.training_halts();
  training_.halt();
}

void SimCluster::cut_training() {
  if (training_.down()) return;
  monitoring_.before_change();
  if (training_.runs()) halt_training();
  training_.cut();
  checkpoints_.cut();
  orders_.fail<Checkpoint>();
}

void SimCluster::pause_training(FaultKindId by, Time until) {
  monitoring_.before_change();
  halt_training();
  training_.pause(by, until);
  checkpoints_.training_pauses();
  await_end_of_pause();
}

void SimCluster::await_end_of_pause() {
  monitoring_.after_change();
  training_.await_end_of_pause();
}

/// One cause of a pause has ended. Training resumes, unless another cause still pauses it.
void SimCluster::resume_unless_paused() {
  if (!training_.paused()) return;
  if (!faults_.storage_is_out()) {
    const Duration waited = training_.storage_answers();
    if (waited > Duration::zero()) checkpoints_.storage_answers(waited, training_.paused_at());
  }
  if (training_.evaluations().under_way()) return;
  monitoring_.before_change();
  if (const Faults::Stalls held = faults_.stalls(); held.first != nullptr) {
    training_.pause_lasts(held.until);
    return await_end_of_pause();
  }
  checkpoints_.training_resumes(training_.resume());
  monitoring_.after_change();
  run_training();
}

void SimCluster::update_pace() {
  if (!training_.down() && faults_.cluster_state() != training_.present()) training_.change_at_boundary();
}

void SimCluster::on(const BoundaryReached&) {
  monitoring_.before_change();
  const bool checkpoint = training_.change(conditions());
  monitoring_.slow_are(training_.present().slow);
  if (checkpoint) checkpoints_.begin(training_.gang());
  monitoring_.after_change();
  training_.reschedule();
  faults_.wait_for_same_step(training_.gang());
}

void SimCluster::on(const EvaluationDue&) {
  if (!training_.runs()) return;
  pause_training(kEvaluation, training_.evaluation_ends());
  training_.evaluate();
}

/// A pause that began meanwhile goes on.
void SimCluster::on(const EvaluationEnds&) {
  training_.end_evaluation();
  const Faults::Stalls held = faults_.stalls();
  if (held.first == nullptr) return resume_unless_paused();
  monitoring_.before_change();
  training_.pause_goes_on(held.first->kind, held.until);
  await_end_of_pause();
}

/// A checkpoint that is being loaded waits for storage.
void SimCluster::hold_load_until(Time until) {
  if (training_.ranks() != TrainingJob::Ranks::starting || !start_.wait_for_storage(engine_.now(), until))
    return;
  if (const OpenOrders::Open* starting = orders_.first<Start>())
    orders_.set_due(starting->order.id, start_.due());
}

void SimCluster::on(const JobEnds& event) {
  if (training_.runs()) halt_training();
  training_.end();
  finished_ = true;
  out_.push(engine_.now(), Finished{JobId{0}, event.ending});
}

// --- stop requests ---------------------------------------------------------------------------------------------------

void SimCluster::tell_to_stop(Duration hold, bool preempted) {
  faults_.stop_is(engine_.now(), {});
  out_.push(engine_.now(), StopRequest{JobId{0}, hold, preempted});
}

/// They are in the order of their times, and come one by one: events that are far away make all others costlier.
void SimCluster::schedule_planned_stop(std::uint32_t number) {
  const std::vector<PlannedStop>& stops = world_->job.planned_stops;
  if (number < stops.size()) engine_.at(stops[number].at, Priority::planned, PlannedDue{number});
}

void SimCluster::on(const PlannedDue& event) {
  schedule_planned_stop(event.stop + 1);
  tell_to_stop(world_->job.planned_stops[event.stop].hold, false);
}

// --- operators -------------------------------------------------------------------------------------------------------

void SimCluster::on(const OperatorDue& event) {
  const ScriptedAction& action = world_->operators[event.action];
  out_.push(engine_.now(), OperatorActed{JobId{0}, action.what, action.host, true});
  if (action.what == OperatorAction::stop) {
    ends_when_down_ = true;
    if (training_.ranks() == TrainingJob::Ranks::none) end_run();
  }
  const bool mends =
      action.what == OperatorAction::readmit && hosts_.state(action.host) == Hosts::State::in_repair;
  if (!mends) return;
  if (const auto back = hosts_.mend(action.host)) return_host(action.host, back->mended);
}

/// Whatever happens now happens before.
void SimCluster::end_run() { engine_.at(engine_.now(), Priority::end, JobEnds{Ending::stopped}); }

void SimCluster::on(const OtherJobsDue&) {
  // A job that is away for longer ends, or gives up.
  constexpr Duration kYear = std::chrono::hours(365 * 24);
  const JobModel& job = world_->job;
  const Duration longest = job.window > Duration::zero()          ? job.window
                           : job.give_up_after > Duration::zero() ? job.give_up_after
                                                                  : kYear;
  const Time has_hosts = other_jobs_->go_on(longest);
  if (has_hosts > engine_.now()) tell_to_stop(has_hosts - engine_.now(), true);
  engine_.at(other_jobs_->next_time(), Priority::world, OtherJobsDue{});
}

void SimCluster::on(const NoticeDue&) { out_.push(engine_.now(), Noticed{JobId{0}}); }

}  // namespace gauntlet
