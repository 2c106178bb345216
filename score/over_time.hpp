// The charges of the score by when they fell: the same nanoseconds as Figures::phases, in buckets of equal length.
#pragma once

#include "score/charges.hpp"
#include "score/figures.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gauntlet {

/// Splits charges that come in the order of time at the ends of buckets, so that each bucket is full and all of them add up to all
/// charges. A step counts from its first charge on: one that is under way at the end of a bucket, or of a pause, is charged once it
/// is clear what became of it, so that a bucket may hold up to one step of its neighbour.
class OverTime final : public ChargeListener {
 public:
  /// `bucket` is above zero. `buckets` is empty and must live as long as this.
  OverTime(Duration bucket, std::vector<TimeBucket>& buckets) : bucket_(bucket), buckets_(&buckets) {}

  void charge(Phase phase, Duration time, Cause) override {
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

  void completed(std::int64_t steps, Time when) override {
    if (steps > 0) of(when - kStart).steps += steps;
  }

  Time next_boundary(Time when) const override { return when + (bucket_ - (when - kStart) % bucket_); }

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

}  // namespace gauntlet
