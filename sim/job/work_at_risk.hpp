// What a stop would cost a job that trains: the work since the newest checkpoint that is written, as a share of the time between two.
#pragma once

#include "core/infinity.hpp"

#include <cmath>

namespace gauntlet {

/// Of one stretch of training, by the seconds since its origin. A sawtooth: it rises with the time and falls whenever a checkpoint is
/// written. Without periodic checkpoints it is zero.
struct WorkAtRisk {
  double trained = 0;        // since the last checkpoint, at the origin
  double first = kInfinity;  // when the first checkpoint is written
  double behind = 0;         // how long it had been taken by then
  double period = kInfinity;

  double at(double elapsed) const {
    if (period == kInfinity) return 0;
    if (elapsed < first) return (trained + elapsed) / period;
    const double since = elapsed - first;
    return (behind + since - std::floor(since / period) * period) / period;
  }
  /// Its integral from the origin on.
  double sum_until(double elapsed) const {
    if (period == kInfinity) return 0;
    if (elapsed < first) return elapsed * (trained + elapsed / 2) / period;
    const double rounds = std::floor((elapsed - first) / period);
    const double rest = elapsed - first - rounds * period;
    return (first * (trained + first / 2) + rest * (behind + rest / 2)) / period +
           rounds * (behind + period / 2);
  }
};

}  // namespace gauntlet
