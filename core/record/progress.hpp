// The progress log: what a job did with its time, in stretches within which progress is arithmetic.
//
// The simulator writes it, and so does the trainer of a drill; score/ reads it. Time that no entry covers is time in
// which the job was down.
#pragma once

#include "core/contract.hpp"
#include "core/id.hpp"
#include "core/saturating.hpp"
#include "core/tier.hpp"
#include "core/time.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

namespace gauntlet {

inline constexpr std::int64_t kNoCheckpoint = std::numeric_limits<std::int64_t>::max();

/// When a job that trains undisturbed takes its checkpoints: after `first` steps, then after every `every` steps.
/// Each blocks training for `stall`; those that go further, for theirs.
struct Cadence {
  /// Checkpoint n (from 1) goes further where `every` divides n + `taken`. Of two such the later goes further still, and
  /// its `every` is a multiple of the earlier one's wherever both are set.
  struct Further {
    std::int64_t every = 0;  // 0: none does
    std::int64_t taken = 0;  // checkpoints since the last that did, when the stretch began at its origin
    Duration stall{};
    friend bool operator==(const Further&, const Further&) = default;
  };

  std::int64_t first = kNoCheckpoint;  // may be 0: a checkpoint at once
  std::int64_t every = kNoCheckpoint;
  Duration stall{};
  std::array<Further, kTiers - 1> further = {};

  /// How far checkpoint n goes: 0, or 1 + the index in `further`.
  std::size_t reach(std::int64_t n) const;
  /// For which checkpoint n blocks training.
  Duration stall_of(std::int64_t n) const;
  /// For which the first n block it together.
  Duration stalls(std::int64_t n) const;

  friend bool operator==(const Cadence&, const Cadence&) = default;
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
  Duration for_fewer{};  // what it takes longer because the layout is not: data-parallel replicas are missing
  Cadence cadence;

  /// A step takes longer than its layout explains.
  bool slow() const { return step > healthy_step + for_fewer; }
  Reached reached_at(Time at) const;
  /// The same, told where it stood when it began: quicker where no checkpoint lies between.
  Reached reached_at(Time at, const Reached& begun) const;
  /// Whether it goes on where `before` ended, after a pause.
  bool resumes(const Stretch& before) const {
    return begin - origin == before.end - before.origin && first_step == before.first_step &&
           step == before.step && cadence == before.cadence;
  }
  /// When `steps` steps (counted from `origin`) are complete, before any checkpoint at that boundary.
  Time time_of_step(std::int64_t steps) const;
  /// When the n-th checkpoint (from 1) is complete.
  Time time_of_checkpoint(std::int64_t n) const;
  /// How many steps (counted from `origin`) are complete when checkpoint n begins.
  std::int64_t steps_before_checkpoint(std::int64_t n) const;

 private:
  std::int64_t checkpoints_begun(Duration elapsed) const;
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

inline std::size_t Cadence::reach(std::int64_t n) const {
  for (std::size_t i = further.size(); i-- > 0;)
    if (further[i].every > 0 && (n + further[i].taken) % further[i].every == 0) return i + 1;
  return 0;
}

inline Duration Cadence::stall_of(std::int64_t n) const {
  const std::size_t far = reach(n);
  return far == 0 ? stall : further[far - 1].stall;
}

inline Duration Cadence::stalls(std::int64_t n) const {
  Duration all = times(n, stall), shorter = stall;
  for (const Further& each : further) {
    if (each.every == 0) continue;
    const std::int64_t count = (n + each.taken) / each.every - each.taken / each.every;
    all = sum(all, times(count, each.stall - shorter));
    shorter = each.stall;
  }
  return all;
}

inline Time Stretch::time_of_step(std::int64_t steps) const {
  const std::int64_t taken = steps <= cadence.first ? 0 : 1 + (steps - cadence.first - 1) / cadence.every;
  return kStart + sum(origin - kStart, sum(times(steps, step), cadence.stalls(taken)));
}

inline std::int64_t Stretch::steps_before_checkpoint(std::int64_t n) const {
  expect(n >= 1 && cadence.first != kNoCheckpoint, "there is such a checkpoint");
  return n == 1 ? cadence.first : cadence.first + (n - 1) * cadence.every;
}

inline Time Stretch::time_of_checkpoint(std::int64_t n) const {
  return after(time_of_step(steps_before_checkpoint(n)), cadence.stall_of(n));
}

inline Reached Stretch::reached_at(Time at) const {
  expect(at >= origin && step > Duration::zero(), "a stretch is asked about its own time");
  const Duration elapsed = at - origin;
  const std::int64_t unstalled = elapsed / step;
  if (unstalled < cadence.first)
    return {.steps = unstalled, .checkpoints = 0, .into_step = elapsed % step, .into_stall = {}};
  const std::int64_t began = checkpoints_begun(elapsed);
  const Duration since = elapsed - (steps_before_checkpoint(began) * step + cadence.stalls(began - 1));
  const Duration stall = cadence.stall_of(began);
  const std::int64_t steps = steps_before_checkpoint(began);
  if (since < stall) return {.steps = steps, .checkpoints = began - 1, .into_step = {}, .into_stall = since};
  const Duration trained = since - stall;
  return {
      .steps = steps + trained / step, .checkpoints = began, .into_step = trained % step, .into_stall = {}};
}

inline Reached Stretch::reached_at(Time at, const Reached& begun) const {
  const bool last = begun.checkpoints > 0 && cadence.every == kNoCheckpoint;
  const std::int64_t checkpoint =
      cadence.first == kNoCheckpoint || last ? kNoCheckpoint : steps_before_checkpoint(begun.checkpoints + 1);
  const Duration work = begun.into_step + (at - begin);
  const std::int64_t steps = work / step;
  if (begun.into_stall > Duration::zero() || begun.steps + steps >= checkpoint) return reached_at(at);
  return {.steps = begun.steps + steps,
          .checkpoints = begun.checkpoints,
          .into_step = work % step,
          .into_stall = {}};
}

/// How many checkpoints had begun so long after the origin, the first one having begun.
inline std::int64_t Stretch::checkpoints_begun(Duration elapsed) const {
  if (cadence.every == kNoCheckpoint) return 1;
  // Time repeats with the checkpoints that go furthest. Within such a round a checkpoint takes at least the shortest stall and
  // at most the longest: look for the last that had begun between the two.
  std::int64_t round = 1;
  Duration shortest = cadence.stall, longest = cadence.stall;
  for (const Cadence::Further& each : cadence.further) {
    if (each.every == 0) continue;
    round = each.every;
    shortest = each.stall < shortest ? each.stall : shortest;
    longest = each.stall > longest ? each.stall : longest;
  }
  const Duration work = times(cadence.every, step), since = elapsed - cadence.first * step;
  if (round == 1) {
    // Before the first one further, too, every checkpoint is alike.
    return 1 + since / sum(work, cadence.stall_of(1));
  }
  const Duration round_time = sum(times(round, work), cadence.stalls(round));
  const std::int64_t rounds = since / round_time;
  const Duration rest = since % round_time;
  const std::int64_t most = rest / sum(work, shortest);
  std::int64_t low = rest / sum(work, longest);  // further checkpoints begun in this round
  std::int64_t high = most < round ? most : round - 1;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (sum(times(middle, work), cadence.stalls(middle)) <= rest)
      low = middle;
    else
      high = middle - 1;
  }
  return 1 + rounds * round + low;
}

}  // namespace gauntlet
