// The charges of the score by when they fell: the same nanoseconds as Figures::phases, in buckets of equal length.
#pragma once

#include "core/record/progress.hpp"
#include "score/figures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// Splits charges that come in the order of time at the ends of buckets, so that each bucket is full and all of them add up to all
/// charges. A step counts from its first charge on: one that is under way at the end of a bucket, or of a pause, is charged once it
/// is clear what became of it, so that a bucket may hold up to one step of its neighbour.
class OverTime {
 public:
  /// `bucket` is above zero. `buckets` is empty and must live as long as this.
  OverTime(Duration bucket, std::vector<TimeBucket>& buckets) : bucket_(bucket), buckets_(&buckets) {}

  /// The next `time` of the wall time. Below zero takes back what was charged: rounding of the parts of a step may.
  void charge(Phase phase, Duration time) {
    while (time > Duration::zero()) {
      const Duration part = std::min(time, bucket_ - charged_ % bucket_);
      at(of(charged_ + Duration(1)).phases, phase) += part;
      charged_ += part;
      time -= part;
    }
    if (time == Duration::zero()) return;
    at(of(charged_).phases, phase) += time;
    charged_ += time;
  }

  /// New steps that were complete by `when`, after the start.
  void completed(std::int64_t steps, Time when) {
    if (steps > 0) of(when - kStart).steps += steps;
  }

  /// The end of the bucket that `when` is in, after it.
  Time end_after(Time when) const { return when + (bucket_ - (when - kStart) % bucket_); }

 private:
  /// The bucket that ends with, or after, so much wall time.
  TimeBucket& of(Duration until) {
    const auto number =
        static_cast<std::size_t>(until <= Duration::zero() ? 0 : (until.count() - 1) / bucket_.count());
    if (number >= buckets_->size()) buckets_->resize(number + 1);
    return (*buckets_)[number];
  }

  Duration bucket_, charged_{};
  std::vector<TimeBucket>* buckets_;
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

/// Passes `see` the part of a stretch from one time and state to a later one: whole without `over_time`, else cut where buckets
/// end.
template <class See>
void in_pieces(const OverTime* over_time, const Stretch& stretch, Time begin, const Piece& whole,
               const See& see) {
  Reached from = whole.from;
  if (over_time != nullptr)
    for (Time end = over_time->end_after(begin); end < whole.until; end = over_time->end_after(end)) {
      const Reached to = stretch.reached_at(end);
      see(Piece{from, to, end});
      from = to;
    }
  see(Piece{from, whole.to, whole.until});
}

}  // namespace gauntlet
