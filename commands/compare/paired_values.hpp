// What a comparison holds against each other: every metric and every lost second of two points, replica by replica.
#pragma once

#include "commands/compare/result.hpp"
#include "study/experiment.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// What `comparison` says of two points but for the means of the metrics and the shown replica.
struct HeldTogether {
  Basis basis = Basis::run;
  std::vector<MetricDifference> metrics;  // every one of either
  LossDifference lost;                    // everything, in one sum
  std::vector<LossDifference> by_cause_and_phase, by_cause,
      by_phase;               // the largest difference first; none for nothing
  std::uint32_t nearest = 0;  // the replica whose losses by cause and phase differ most like the mean ones
};

/// Of the first `count` replicas of both. Reads them three times, a few pairs at once: memory does not grow with `count`.
HeldTogether hold_together(const Experiment& experiment, PointNumber first, PointNumber second,
                           std::uint32_t count);

}  // namespace gauntlet
