#include "sim/job/training_job.hpp"

#include "core/saturating.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

TrainingJob::TrainingJob(const World& world, SimEngine& engine)
    : world_(&world),
      engine_(&engine),
      gang_(progress_, world.storage),
      progress_watch_(world, engine),
      evaluations_(world, engine) {}

void TrainingJob::reset(Seed seed) {
  progress_.clear();
  gang_.reset(seed);
  progress_watch_.reset();
  evaluations_.reset();
  ranks_ = Ranks::none;
  present_ = {};
  collective_timeout_ = kForever;
  change_wanted_ = checkpoint_wanted_ = false;
  boundary_ = job_end_ = collective_timer_ = {};
}

// --- ranks -----------------------------------------------------------------------------------------------------------

void TrainingJob::start(Duration collective_timeout) {
  ranks_ = Ranks::starting;
  collective_timeout_ = collective_timeout;
}

bool TrainingJob::stop() { return std::exchange(ranks_, Ranks::none) != Ranks::none; }

Time TrainingJob::collective_timeout() const { return after(engine_->now(), collective_timeout_); }

// --- the gang --------------------------------------------------------------------------------------------------------

void TrainingJob::begin(std::int64_t step, Tier from, Conditions&& conditions) {
  present_ = std::move(conditions.present);
  gang_.loaded(engine_->now(), step, from);
  gang_.begin(engine_->now(), step, conditions.pace, conditions.checkpointing);
  evaluations_.training_begins(step);
  progress_watch_.training_begins();
  ranks_ = Ranks::up;
}

void TrainingJob::run() {
  reschedule();
  progress_watch_.training_runs(gang_);
  if (change_wanted_) change_at_boundary();
}

void TrainingJob::reschedule() {
  schedule_job_end();
  evaluations_.training_runs(gang_);
}

void TrainingJob::schedule_job_end() {
  if (world_->job.steps == 0) return;
  engine_->set(job_end_, gang_.time_of_step(world_->job.steps), Priority::end, JobEnds{Ending::completed});
}

void TrainingJob::halt() {
  engine_->hold(boundary_);
  engine_->hold(job_end_);
  evaluations_.training_halts();
  progress_watch_.training_halts(gang_);
}

void TrainingJob::cut() {
  gang_.cut(engine_->now());
  progress_watch_.watch(gang_);
  evaluations_.training_is_cut();
  engine_->hold(collective_timer_);
  // What was to change at a boundary is part of the next start; a checkpoint that is not durable is lost.
  change_wanted_ = checkpoint_wanted_ = false;
}

void TrainingJob::pause(FaultKindId by, Time until) {
  paused_at_ = engine_->now();
  gang_.pause(engine_->now(), by, until);
}

void TrainingJob::pause_goes_on(FaultKindId by, Time until) {
  gang_.pause_goes_on(engine_->now(), by, until);
}

void TrainingJob::await_end_of_pause() {
  // Ranks wait so long for a culprit, though not for an evaluation.
  const Time aborts = std::max(after(gang_.paused_since(), collective_timeout_), engine_->now());
  if (!gang_.evaluates() && !gang_.heals_by(aborts))
    engine_->set(collective_timer_, aborts, Priority::abort, CollectiveTimeout{});
  progress_watch_.watch(gang_);
}

Duration TrainingJob::resume() {
  engine_->hold(collective_timer_);
  gang_.resume(engine_->now());
  return engine_->now() - paused_at_;
}

// --- step boundaries -------------------------------------------------------------------------------------------------

void TrainingJob::change_at_boundary() {
  if (down()) return;
  change_wanted_ = true;
  if (paused()) return;  // once it goes on
  engine_->set(boundary_, gang_.boundary_after(engine_->now()), Priority::world, BoundaryReached{});
}

void TrainingJob::checkpoint_at_boundary() {
  checkpoint_wanted_ = true;
  change_at_boundary();
}

bool TrainingJob::change(Conditions&& conditions) {
  present_ = std::move(conditions.present);
  gang_.change(engine_->now(), conditions.pace, conditions.checkpointing, checkpoint_wanted_);
  change_wanted_ = false;
  return std::exchange(checkpoint_wanted_, false);
}

void TrainingJob::end() {
  if (!down()) gang_.cut(engine_->now());
}

}  // namespace gauntlet
