// How far the next start goes back, in checkpoints: further than to the newest one where what was trained since is in doubt.
//
// By `roll_back` more each time in one incident: when the loss is wrong, and when the job stops within the relapse window
// of a start that went on from no later step than the start before. What was done in between is lost again, so it is not
// chance: a bug that comes back, or a checkpoint that is bad. When a line says that the numbers are wrong, back beyond
// every checkpoint that may have been taken since they are, which is further at times.
#pragma once

#include "core/observation.hpp"
#include "policies/constants.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace gauntlet {

class Rollback {
 public:
  /// `constants` must outlive it.
  explicit Rollback(const RecoveryConstants& constants) : constants_(&constants) {}

  /// A new incident begins.
  void forget() { rolled_back_ = 0; }
  /// The next start goes further back.
  void doubt() { doubt_ = true; }
  /// Numbers are wrong since then, in so many checkpoints.
  void doubt(std::uint32_t checkpoints, Time since) {
    doubt_ = true;
    checkpoints_ = std::max(checkpoints_, checkpoints);
    since_ = std::min(since_, since);
  }
  /// Whether the last start goes on from before that time, so that what was wrong since then is gone.
  bool shed(Time wrong_since) const { return wrong_since >= shed_since_; }
  /// Whether the last start that succeeded went on from no later step than the one before.
  bool repeats() const { return repeats_; }

  /// The job starts. How far back it goes.
  std::uint32_t start() {
    if (back_ == 0) shed_since_ = kNever;  // else the start before has failed, and this one takes its place
    if (std::exchange(doubt_, false)) {
      rolled_back_ += constants_->roll_back;
      back_ = std::max({back_, rolled_back_, std::exchange(checkpoints_, 0U)});
      shed_since_ = std::min(shed_since_, std::exchange(since_, kNever));
    }
    return back_;
  }
  /// It has started, and `loaded` this.
  void started(const Loaded* loaded) {
    back_ = 0;
    repeats_ = loaded != nullptr && loaded_ && loaded->step <= *loaded_;
    if (loaded != nullptr) loaded_ = loaded->step;
  }

 private:
  const RecoveryConstants* constants_;
  std::optional<std::int64_t> loaded_{};  // from which step the last start went on
  bool repeats_ = false;                  // ... which was no progress over the start before
  bool doubt_ = false;                    // the next start goes further back
  std::uint32_t rolled_back_ = 0;         // in this incident, in checkpoints
  std::uint32_t back_ = 0;                // of the next start
  std::uint32_t checkpoints_ = 0;         // that the next start passes over, because a line says so
  Time since_ = kNever;                   // ... and since when they were taken
  Time shed_since_ = kNever;              // ... of the last start
};

}  // namespace gauntlet
