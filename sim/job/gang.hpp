// The gang: the training of one job as arithmetic. Steps and periodic checkpoints are not events. Between two changes of
// state, the progress of the job follows from the time at which the present stretch began.
#pragma once

#include "core/record/evaluation.hpp"
#include "core/record/progress.hpp"
#include "core/time.hpp"
#include "sim/job/stored_checkpoints.hpp"
#include "sim/job/work_at_risk.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// What one step costs at present.
struct Pace {
  Duration step{};
  Duration healthy_step{};  // with every data-parallel replica
  Duration for_fewer{};     // what it takes longer for want of some
  friend bool operator==(const Pace&, const Pace&) = default;
};

class Gang {
 public:
  enum class State : std::uint8_t {
    down,  // no training; ranks may be gone, starting or stuck
    training,
    paused,  // ranks are up, nothing moves, and it heals by itself
  };

  /// A checkpoint to a tier blocks training for `stall`. The tier holds it completely `persist` after the stall.
  struct TierPlan {
    Duration interval =
        kForever;  // training time between checkpoints; a quicker tier's is at most a safer one's
    Duration stall{};
    Duration persist{};
    Duration whole_persist{};  // with increments: `persist` if it also goes to a tier without increments
    bool increments = false;   // other checkpoints hold only what changed; only for tiers in memory
  };
  /// A checkpoint to one tier passes through the quicker ones that are in use. So that they fall together, a safer tier's
  /// interval is rounded up to a multiple of the quicker one's.
  struct Checkpointing {
    std::array<TierPlan, kTiers> tiers = {};
    TierPlan& operator[](Tier tier) { return tiers[static_cast<std::size_t>(tier)]; }
    const TierPlan& operator[](Tier tier) const { return tiers[static_cast<std::size_t>(tier)]; }
  };

  /// The copy of the newest checkpoint that a tier in memory holds.
  struct Held {
    std::int64_t step = 0;
    Time taken;                   // training went on
    std::int64_t increments = 0;  // checkpoints since the last whole one, or since training began
  };

  explicit Gang(ProgressLog& log, const StorageModel& storage = {}) : log_(&log), stored_(storage) {}
  void reset(Seed seed = {});

  State state() const { return state_; }
  /// The present stretch, in force while training or paused (then as it stood).
  const Stretch& stretch() const { return stretch_; }

  /// Training begins after `step` completed steps. A tier that holds a checkpoint counts its interval from that.
  void begin(Time now, std::int64_t step, Pace pace, const Checkpointing& checkpointing);
  /// Training ends at once. The step in progress is lost, and so is each checkpoint that its tier does not hold completely.
  void cut(Time now);
  /// Pauses training because of `by`. `until`: when the cause ends; kNever if that is not known. If something still pauses
  /// the job then, the caller calls `pause_lasts` or `pause_goes_on`.
  void pause(Time now, FaultKindId by, Time until);
  void resume(Time now);
  /// The pause is not over before `until`.
  void pause_lasts(Time until) { paused_until_ = until; }
  /// The cause of the pause has ended, and another cause pauses the job by now. The log gets a separate pause.
  void pause_goes_on(Time now, FaultKindId by, Time until);
  /// Whether the job is paused and, as far as is known, the pause ends by `time`. Events that only a longer pause would
  /// bring need no timer yet.
  bool heals_by(Time time) const { return state_ == State::paused && paused_until_ <= time; }
  /// While the job is paused: when the present cause began to pause it.
  Time paused_since() const { return log_->pauses.back().begin; }
  bool evaluates() const { return state_ == State::paused && log_->pauses.back().kind == kEvaluation; }
  /// Goes on from a step boundary (`boundary_after`) at another pace or cadence. `checkpoint_now`: begins with one to storage.
  void change(Time boundary, Pace pace, const Checkpointing& checkpointing, bool checkpoint_now);

  /// While the job is paused: writes to storage make no progress until storage answers again, or training resumes.
  void storage_fails(Time now);
  /// Storage answers again. Returns how long it did not answer.
  Duration storage_answers(Time now);

  /// A fault damages the newest checkpoint that storage holds completely and that is not damaged yet.
  void damage_stored(Time now);

  // The checkpoints that a start could load, as they stood when training was last cut, paused or changed.
  const std::optional<Held>& held(Tier in_memory) const { return held_[static_cast<std::size_t>(in_memory)]; }
  const StoredCheckpoints& stored() const { return stored_; }
  /// The step of the newest checkpoint in storage; 0 if there is none.
  std::int64_t durable() const { return stored_.newest().value_or(StoredCheckpoints::One{}).step; }
  /// A checkpoint was loaded from a tier. Newer checkpoints are deleted. Hosts that had lost their part of the loaded
  /// checkpoint hold it again.
  void loaded(Time now, std::int64_t step, Tier from);

  /// What a stop would cost now (WorkAtRisk), by the checkpoints that outlive the loss of a host, if the job takes such. Zero while the gang
  /// does not train.
  double work_at_risk(Time now) const {
    return state_ == State::training ? at_risk_.at(to_seconds(now - stretch_.origin)) : 0;
  }
  /// Its integral over the seconds of training, up to when it was last cut, paused or changed.
  double work_at_risk_integral() const { return risk_met_; }

  /// The first step boundary at or after `now`, with no checkpoint under way; training only.
  Time boundary_after(Time now) const;
  /// Steps complete by now, from the beginning of the job; training only.
  std::int64_t steps_at(Time now) const { return stretch_.first_step + reached_at(now).steps; }
  /// When `step` steps will be complete, undisturbed.
  Time time_of_step(std::int64_t step) const { return stretch_.time_of_step(step - stretch_.first_step); }
  /// When the last step completed, or training began if none has since; also once it was cut or paused.
  Time last_step_time(Time now) const;
  /// When the next step completes after `now`, undisturbed.
  Time next_step_time(Time now) const;
  /// When the next checkpoint to storage ends after `now`, undisturbed; kNever without one.
  Time next_checkpoint_time(Time now) const;
  /// The same for periodic checkpoints; ordered ones do not count.
  Time next_periodic_checkpoint_time(Time now) const;
  /// For which one to storage blocks training.
  Duration storage_stall() const { return checkpointing_[Tier::storage].stall; }
  /// From the end of the stall of the present stretch's first checkpoint to storage until it is durable.
  Duration first_persist() const { return stored_persist(storage_begun_ + 1); }

 private:
  /// The checkpoints of the present stretch that go as far as a tier: one in `every`. When the stretch began at its origin,
  /// `taken` checkpoints had passed since the last of them.
  struct Level {
    Tier tier = Tier::storage;
    std::int64_t every = 1, taken = 0;
    std::int64_t settled = 0;  // how many of them are in `held_`, `stored_` or `writing_`
    /// How many of the first n checkpoints of the stretch go as far as the tier.
    std::int64_t count(std::int64_t n) const { return (n + taken) / every; }
    /// The number, in the stretch, of the j-th checkpoint that goes as far as the tier.
    std::int64_t nth(std::int64_t j) const { return j * every - taken; }
  };
  /// A checkpoint that is still being written.
  struct Written {
    Tier tier;
    StoredCheckpoints::One what;
    Time taken, durable;
    std::int64_t increments;
  };

  /// Where the present stretch stands; training only. Much is asked of one moment.
  const Reached& reached_at(Time now) const {
    if (now != asked_) {
      reached_ = stretch_.reached_at(now, begun_);
      asked_ = now;
    }
    return reached_;
  }
  void open(Time now, std::int64_t first_step, Pace pace);
  WorkAtRisk risk_of_stretch() const;
  Cadence plan(Duration step);
  void plan_further(Cadence& cadence, Duration step);
  const Level* level_of(Tier tier) const;
  const Level* whole_level(const Level& level) const;
  std::int64_t increments_at(const Level& level, std::int64_t n) const;
  Duration persist_at(const Level& level, std::int64_t n, std::int64_t number) const;
  Duration stored_persist(std::int64_t number) const;
  std::int64_t step_of(std::int64_t n) const {
    return stretch_.first_step + stretch_.steps_before_checkpoint(n);
  }
  Time time_of_stored(Time now, std::int64_t from) const;
  void hold(Tier in_memory, const Held& copy);
  void settle(Time now);
  void settle(Level& level, std::int64_t begun, Time now);
  void settle_written(Time now);
  void close(Time now);

  ProgressLog* log_;
  State state_ = State::down;
  Stretch stretch_;
  Checkpointing checkpointing_;
  std::vector<Level> levels_;  // of the present stretch, from the quickest tier in use
  std::array<Duration, kTiers> trained_ =
      {};  // since a tier's last checkpoint, when the stretch began at its origin
  std::array<std::int64_t, kTiers - 1> increments_ =
      {};  // since one that went further, when the stretch began at its origin
  std::array<std::optional<Held>, kTiers - 1> held_;
  StoredCheckpoints stored_;
  std::int64_t storage_begun_ = 0;  // checkpoints to storage in earlier stretches
  std::vector<Written> writing_;    // as it stood when training was paused or changed last
  std::optional<Time> storage_failed_;
  bool wanted_ = false;  // the present stretch begins with a checkpoint that was asked for
  WorkAtRisk at_risk_;   // in the present stretch
  double risk_met_ = 0;
  Time last_step_{};  // when the last step before the present stretch completed, or training began
  Reached begun_;     // where training stood when the present stretch began, or stands in a pause
  Time paused_until_ = kNever;
  mutable Time asked_ = kNever;
  mutable Reached reached_;  // at that time
};

}  // namespace gauntlet
