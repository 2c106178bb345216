// What a stop would cost a job that trains: the work since the newest checkpoint that is written, as a share of the most that it can be.
#pragma once

#include "core/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

/// Of one stretch of training, by the seconds since its origin. A sawtooth: it rises with the time and falls whenever a checkpoint is
/// written. Without periodic checkpoints it is zero. After a change of pace it counts from the last checkpoint that was taken, written or not:
/// as a control it may be a little off, but has to be known before a stop comes.
struct WorkAtRisk {
  double trained = 0;        // since the last checkpoint, at the origin
  double first = kInfinity;  // when the first checkpoint is written
  double behind = 0;         // how old a checkpoint is when it is written
  double period = kInfinity;

  /// The most that it can be.
  double most() const { return std::max(trained + first, behind + period); }

  double at(double elapsed) const {
    if (period == kInfinity) return 0;
    if (elapsed < first) return (trained + elapsed) / most();
    const double since = elapsed - first;
    return (behind + since - std::floor(since / period) * period) / most();
  }
  /// Its integral from the origin on.
  double sum_until(double elapsed) const {
    if (period == kInfinity) return 0;
    if (elapsed < first) return elapsed * (trained + elapsed / 2) / most();
    const double rounds = std::floor((elapsed - first) / period);
    const double rest = elapsed - first - rounds * period;
    const double whole = first * (trained + first / 2) + rounds * period * (behind + period / 2);
    return (whole + rest * (behind + rest / 2)) / most();
  }
};

}  // namespace gauntlet
