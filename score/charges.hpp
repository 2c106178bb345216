// The charges of the score as they fall: who listens gets every nanosecond of the wall time once, in order.
#pragma once

#include "core/record/progress.hpp"
#include "score/figures.hpp"

#include <cstdint>

namespace gauntlet {

/// Hears what the walk through the wall time charges. It says where the walk has to stop, so that a charge lies where it fell.
class ChargeListener {
 public:
  virtual ~ChargeListener() = default;
  /// The next `time` of the wall time. Below zero takes back what was charged: rounding of the parts of a step may.
  virtual void charge(Phase phase, Duration time, Cause cause) = 0;
  /// New steps that were complete by `when`.
  virtual void completed(std::int64_t steps, Time when) = 0;
  /// The first boundary after `when`: a stretch of training is charged in parts that end there. kNever where there is none.
  virtual Time next_boundary(Time when) const = 0;
};

/// A part of a stretch, from one state of it to a later one at `until`.
struct Piece {
  Reached from, to;
  Time until;
  std::int64_t steps() const { return to.steps - from.steps; }
  /// The time for which checkpoints block training in it.
  Duration blocked(const Cadence& cadence) const {
    const Duration under_way = to.into_stall - from.into_stall;
    if (to.checkpoints == from.checkpoints) return under_way;
    return cadence.stalls(to.checkpoints) - cadence.stalls(from.checkpoints) + under_way;
  }
};

/// Passes `see` the part of a stretch from one time and state to a later one: whole without a listener, else cut at its
/// boundaries.
template <class See>
void in_pieces(const ChargeListener* listener, const Stretch& stretch, Time begin, const Piece& whole,
               const See& see) {
  Reached from = whole.from;
  if (listener != nullptr)
    for (Time end = listener->next_boundary(begin); end < whole.until; end = listener->next_boundary(end)) {
      const Reached to = stretch.reached_at(end);
      see(Piece{from, to, end});
      from = to;
    }
  see(Piece{from, whole.to, whole.until});
}

}  // namespace gauntlet
