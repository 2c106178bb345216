// The phases of a run one after the other: the same nanoseconds as Figures::phases, as spans of time.
#pragma once

#include "score/charges.hpp"
#include "score/figures.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace gauntlet {

/// Wall time of one phase and one cause.
struct PhaseSpan {
  Phase phase = Phase::effective;
  Cause cause;  // of no meaning for `effective`
  Time begin, end;
};

/// Puts charges into spans. Neighbours of the same phase and cause are one span, unless a boundary lies between. Within a part
/// between two boundaries the phases are in the order in which the score charges them: effective time first, then what steps
/// took longer, then checkpoints. Where each lies in the part is exact if the part has one of them alone.
class PhaseLog final : public ChargeListener {
 public:
  /// `boundaries` is in ascending order.
  explicit PhaseLog(std::vector<Time> boundaries) : boundaries_(std::move(boundaries)) {}

  void charge(Phase phase, Duration time, Cause cause) override {
    if (time < Duration::zero()) return take_back(-time);
    const bool longer = !spans_.empty() && spans_.back().phase == phase && spans_.back().cause == cause &&
                        !std::binary_search(boundaries_.begin(), boundaries_.end(), at_);
    if (!longer) spans_.push_back({.phase = phase, .cause = cause, .begin = at_, .end = at_});
    at_ += time;
    spans_.back().end = at_;
  }
  void completed(std::int64_t, Time) override {}
  Time next_boundary(Time when) const override {
    const auto next = std::upper_bound(boundaries_.begin(), boundaries_.end(), when);
    return next == boundaries_.end() ? kNever : *next;
  }

  /// From the start to the end of the run, without gaps.
  const std::vector<PhaseSpan>& spans() const { return spans_; }

 private:
  /// The rounding of a step gave its neighbours nanoseconds too many: the last ones lose them.
  void take_back(Duration time) {
    at_ -= time;
    while (!spans_.empty() && spans_.back().begin >= at_) spans_.pop_back();
    if (!spans_.empty()) spans_.back().end = at_;
  }

  std::vector<Time> boundaries_;
  std::vector<PhaseSpan> spans_;
  Time at_ = kStart;
};

}  // namespace gauntlet
