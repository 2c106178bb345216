// The progress log: what a job did with its time, in stretches within which progress is arithmetic.
//
// The simulator writes it, and so does the trainer of a drill; score/ reads it. Time that no entry covers is time in
// which the job was down.
#pragma once

#include "core/contract.hpp"
#include "core/id.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace gauntlet {

inline constexpr std::int64_t kNoCheckpoint = std::numeric_limits<std::int64_t>::max();

/// When a job that trains undisturbed takes its checkpoints: after `first` steps, then after every `every` steps.
/// Each blocks training for `stall`.
struct Cadence {
  std::int64_t first = kNoCheckpoint;  // may be 0: a checkpoint at once
  std::int64_t every = kNoCheckpoint;
  Duration stall{};
};

/// Where undisturbed training stands some time after it began.
struct Reached {
  std::int64_t steps = 0;        // completed
  std::int64_t checkpoints = 0;  // completed
  Duration into_step{};          // of the step under way, or
  Duration into_stall{};         // of the checkpoint under way
};

/// Training at one pace, from a virtual beginning at step boundary `origin` where `first_step` steps were complete.
/// It is in force from `begin` to `end` alone: a pause moves `origin`, so that the same arithmetic goes on after it.
struct Stretch {
  Time begin, end, origin;
  std::int64_t first_step = 0;
  Duration step{};          // actual time of one step, > 0
  Duration healthy_step{};  // what it would take with every part healthy and the full layout
  Cadence cadence;

  Reached reached_at(Time at) const;
  /// When `steps` steps (counted from `origin`) are complete, before any checkpoint at that boundary.
  Time time_of_step(std::int64_t steps) const;
  /// When the n-th checkpoint (from 1) is complete.
  Time time_of_checkpoint(std::int64_t n) const;
  /// How many steps (counted from `origin`) are complete when checkpoint n begins.
  std::int64_t steps_before_checkpoint(std::int64_t n) const;
};

/// Ranks are up but nothing moves, and it heals by itself.
struct Pause {
  Time begin, end;
  FaultKindId kind;
};

struct ProgressLog {
  std::vector<Stretch> stretches;  // in order of time, not overlapping
  std::vector<Pause> pauses;       // likewise; between stretches
  void clear() {
    stretches.clear();
    pauses.clear();
  }
};

inline Time Stretch::time_of_step(std::int64_t steps) const {
  const std::int64_t stalls = steps <= cadence.first ? 0 : 1 + (steps - cadence.first - 1) / cadence.every;
  return origin + steps * step + stalls * cadence.stall;
}

inline std::int64_t Stretch::steps_before_checkpoint(std::int64_t n) const {
  expect(n >= 1 && cadence.first != kNoCheckpoint, "there is such a checkpoint");
  return n == 1 ? cadence.first : cadence.first + (n - 1) * cadence.every;
}

inline Time Stretch::time_of_checkpoint(std::int64_t n) const {
  return time_of_step(steps_before_checkpoint(n)) + cadence.stall;
}

inline Reached Stretch::reached_at(Time at) const {
  expect(at >= origin && step > Duration::zero(), "a stretch is asked about its own time");
  const Duration elapsed = at - origin;
  const std::int64_t unstalled = elapsed / step;
  if (unstalled < cadence.first)
    return {.steps = unstalled, .checkpoints = 0, .into_step = elapsed % step, .into_stall = {}};
  // From the first checkpoint on, time repeats: a stall, then `every` steps.
  const Duration since = elapsed - cadence.first * step;
  const bool repeats = cadence.every != kNoCheckpoint;
  const Duration period = repeats ? cadence.every * step + cadence.stall : kForever;
  const std::int64_t periods = repeats ? since / period : 0;
  const Duration rest = repeats ? since % period : since;
  const std::int64_t steps = cadence.first + (repeats ? periods * cadence.every : 0);
  if (rest < cadence.stall)
    return {.steps = steps, .checkpoints = periods, .into_step = {}, .into_stall = rest};
  const Duration trained = rest - cadence.stall;
  return {.steps = steps + trained / step,
          .checkpoints = periods + 1,
          .into_step = trained % step,
          .into_stall = {}};
}

}  // namespace gauntlet
