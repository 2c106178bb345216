// How long the job goes on without progress before it gives up.
#pragma once

#include "core/saturating.hpp"
#include "core/giving_up.hpp"
#include "models/world/world.hpp"
#include "sim/engine/event.hpp"
#include "sim/job/gang.hpp"

#include <algorithm>
#include <cstdint>

namespace gauntlet {

class ProgressWatch {
 public:
  /// `world` and `engine` must outlive it.
  ProgressWatch(const World& world, SimEngine& engine) : world_(&world), engine_(&engine) {}
  void reset() {
    mark_ = 0;
    progress_at_ = kStart;
    in_vain_ = 0;
    give_up_ = {};
  }

  /// Training begins after a start.
  void training_begins() { ++in_vain_; }
  /// Training halts, for a pause or for good: notes the steps that the gang has completed.
  void training_halts(const Gang& gang) {
    const std::int64_t steps = gang.steps_at(engine_->now());
    if (steps <= mark_) return;
    in_vain_ = 0;
    mark_ = steps;
    progress_at_ = std::max(progress_at_, gang.last_step_time(engine_->now()));
  }
  /// Training goes on. It counts as progress once it completes a step for the first time.
  void training_runs(const Gang& gang) {
    const Time rises = gang.time_of_step(std::max(mark_, gang.stretch().first_step) + 1);
    if (rises <= gives_up()) return engine_->hold(give_up_);
    watch(gang);
  }
  /// The job does not train: it gives up when the time has passed without progress.
  void watch(const Gang& gang) {
    if (world_->job.give_up_after == Duration::zero()) return;
    const Time at = std::max(gives_up(), engine_->now());
    if (gang.heals_by(at)) return engine_->hold(give_up_);
    engine_->set(give_up_, at, Priority::end, JobEnds{Ending::gave_up});
  }

 private:
  /// Nobody waits beyond the end of time: without an event at all a run would have no end.
  Time gives_up() const {
    if (in_vain_ > kMostStartsInVain) return progress_at_;  // the last of them has begun just now
    return std::min(after(progress_at_, world_->job.give_up_after), kLast);
  }

  const World* world_;
  SimEngine* engine_;
  std::int64_t mark_ = 0;      // most steps ever complete
  Time progress_at_{};         // when the mark last rose
  std::uint32_t in_vain_ = 0;  // starts since then
  Timer give_up_;
};

}  // namespace gauntlet
