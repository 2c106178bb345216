// How the rate of a fault kind differs between components and over time: a factor on the rate that `life` says, for kinds
// of exponential life. The parts multiply. sim/faults/profiled_arrivals draws from it, exactly.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

/// A share of the components that fail `factor` times as often as the others (lemons). Which ones is drawn for each replica.
struct Lemons {
  double share = 0;   // in [0, 1]
  double factor = 1;  // > 0; above 1 where `cured`
  /// A repair of its host that holds makes a lemon like the others. One that fails silently leaves the lemon, and no fault.
  bool cured = false;
};

/// Components [first, last] come from a batch with its own rate.
struct Batch {
  std::uint32_t first = 0, last = 0;
  double factor = 1;  // > 0
};

/// A daily cycle: 1 + amplitude * cos(2 pi (t - peak) / 24 h).
struct DailyCycle {
  double amplitude = 0;  // in [0, 1]
  Duration peak{};       // after midnight; the run begins at midnight
};

/// The mean of the factor over the components and over time need not be 1: `life` is that of a component whose factor is.
struct RateProfile {
  Lemons lemons{};
  std::vector<Batch> batches{};  // those in none: 1
  DailyCycle daily{};
  /// (time, factor): held from that time to the next, 1 before the first; ascending. A burst after a roll-out, the steep
  /// beginning of a bathtub curve, growth.
  std::vector<std::pair<Time, double>> curve{};

  bool flat() const;  // 1 for all and always
  /// The factor of the daily cycle; none is above 1 + amplitude.
  double of_day(Time at) const;
  /// The integral of the curve times the daily cycle, from the beginning to that time in seconds.
  double accumulated(double seconds) const;
  /// The time in seconds by which the curve adds up to `seconds`, or infinity: a process of constant rate in these seconds
  /// has the rate of the curve in time.
  double time_on_curve(double seconds) const;
};

}  // namespace gauntlet
