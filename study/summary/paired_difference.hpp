// The difference of two means over replicas that met the same faults.
#pragma once

#include "study/summary/summary.hpp"

#include <cstdint>
#include <optional>

namespace gauntlet {

/// Where some pairs are equal, fewer different ones than this give no interval: a few large differences among many zeros
/// are far from normal, and the next one would move the mean out of it (tests/oracles/coverage_test.cpp).
inline constexpr std::uint64_t kFewestDifferent = 10;

/// second - first, of the means of a metric.
struct PairedDifference {
  std::optional<double> difference;  // absent where one of the two has no mean
  std::optional<double> se;          // with two replicas or more
  /// Student's t; with kFewestForInterval replicas or more, of which kFewestDifferent differ, or all, or none. Of what happens in a
  /// run or does not, by the pairs that differ (study/paired.hpp).
  std::optional<Interval> ci95;
  /// How many times more variance the same difference has between independent replicas: what common random numbers gain.
  /// Absent where the paired difference does not vary.
  std::optional<double> variance_factor;
};

}  // namespace gauntlet
