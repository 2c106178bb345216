// The difference of two means over replicas that met the same faults.
#pragma once

#include "study/results/summary.hpp"

#include <optional>

namespace gauntlet {

/// second - first, of the means of a metric.
struct PairedDifference {
  std::optional<double> difference;  // absent where one of the two has no mean
  std::optional<double> se;          // with two replicas or more
  std::optional<Interval> ci95;      // with kFewestForInterval or more; Student's t
  /// How many times more variance the same difference has between independent replicas: what common random numbers gain.
  /// Absent where the paired difference does not vary.
  std::optional<double> variance_factor;
};

}  // namespace gauntlet
