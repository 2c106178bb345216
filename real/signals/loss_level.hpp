// The loss as detectors see it: how far it lies above its running median.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace gauntlet {

/// Over the last 64 losses of one start of the job. A loss that is not a number counts from the first step on; the others need
/// eight before them.
class LossLevel {
 public:
  /// In robust standard deviations (policies/detect/peers.hpp): 1.4826 times the median absolute deviation. Where losses hardly
  /// scatter, a deviation is a millionth of the median. NaN for NaN and for infinities.
  std::optional<double> on_loss(double loss);
  /// A new start.
  void reset() { losses_.clear(); }

 private:
  std::deque<double> losses_;
};

}  // namespace gauntlet
