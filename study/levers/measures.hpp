// What the gains of a lever are computed of.
#pragma once

#include "study/experiment.hpp"
#include "study/summary/lever_ranking.hpp"
#include "study/summary/metrics.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// Of the point of a lever, replica by replica.
struct Measures {
  std::vector<Fraction> goodput;         // tokens per second of wall time
  std::vector<Fraction> time_per_token;  // the inverse
  std::vector<Fraction> cost_per_token;  // empty without a price
};

Measures measures_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas);

/// How much an interval of a gain holds, and whether one without scatter is exact: where no event is possible, not where
/// none was seen.
struct Certainty {
  double level = 0.95;
  bool constant_is_exact = false;
};

/// The difference of the paired means times `factor`, with an interval unless it is the same in all pairs and events are possible.
Gain gain_of(std::span<const Fraction> before, std::span<const Fraction> after, double factor,
             const Certainty& certainty);

/// The same in every replica.
bool are_equal(std::span<const Fraction> first, std::span<const Fraction> second);

}  // namespace gauntlet
