// The gang: one job's training as arithmetic. Steps and periodic checkpoints are not events; between two changes of
// state where the job stands follows from when the present stretch began.
#pragma once

#include "core/record/progress.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// What one step costs at present.
struct Pace {
  Duration step{};
  Duration healthy_step{};
  friend bool operator==(const Pace&, const Pace&) = default;
};

class Gang {
 public:
  enum class State : std::uint8_t {
    down,  // no training; ranks may be gone, starting or stuck
    training,
    paused,  // ranks are up, nothing moves, and it heals by itself
  };

  /// A checkpoint blocks training for `stall` and is durable `persist` after that.
  struct Checkpointing {
    Duration interval = kForever;  // training time between checkpoints
    Duration stall{};
    Duration persist{};
  };

  explicit Gang(ProgressLog& log) : log_(&log) {}
  void reset();

  State state() const { return state_; }
  /// The present stretch, in force while training or paused (then as it stood).
  const Stretch& stretch() const { return stretch_; }

  /// Training begins after `step` completed steps; the interval counts anew.
  void begin(Time now, std::int64_t step, Pace pace, Checkpointing checkpointing);
  /// Training ends at once: the step under way is lost, and so is a checkpoint that is not durable yet.
  void cut(Time now);
  void pause(Time now, FaultKindId by);
  void resume(Time now);
  /// Goes on from a step boundary (`boundary_after`) at another pace or cadence. `checkpoint_now`: begins with one.
  void change(Time boundary, Pace pace, Checkpointing checkpointing, bool checkpoint_now);

  /// The first step boundary at or after `now`, with no checkpoint under way; training only.
  Time boundary_after(Time now) const;
  /// Steps complete by now, from the beginning of the job; training only.
  std::int64_t steps_at(Time now) const { return stretch_.first_step + stretch_.reached_at(now).steps; }
  /// The newest durable checkpoint when training was cut, paused or changed last: it would go on after this step.
  std::int64_t durable() const { return durable_; }
  /// When `step` steps will be complete, undisturbed.
  Time time_of_step(std::int64_t step) const { return stretch_.time_of_step(step - stretch_.first_step); }
  /// When the last step completed, or training began if none has since; also once it was cut or paused.
  Time last_step_time(Time now) const;
  /// When the next step completes after `now`, undisturbed.
  Time next_step_time(Time now) const;
  /// When the next checkpoint ends after `now`, undisturbed; kNever without one.
  Time next_checkpoint_time(Time now) const;

 private:
  /// A checkpoint that is still being written.
  struct Written {
    std::int64_t step;
    Time durable;
  };

  Cadence cadence(Duration step, Duration trained, bool checkpoint_now) const;
  void settle_durable(Time now);
  void settle_written(Time now);
  void close(Time now);

  ProgressLog* log_;
  State state_ = State::down;
  Stretch stretch_;
  Checkpointing checkpointing_;
  Duration trained_{};  // training time since the last checkpoint, when the stretch began at its origin
  std::int64_t durable_ = 0;
  std::vector<Written> writing_;  // as it stood when training was paused or changed last
  std::int64_t settled_ = 0;  // so many checkpoints of the present stretch are in `durable_` or `writing_`
  bool wanted_ = false;       // the present stretch begins with a checkpoint that was asked for
  Time last_step_{};          // when the last step before the present stretch completed, or training began
};

}  // namespace gauntlet
