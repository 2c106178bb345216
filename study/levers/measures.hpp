// What the gains of a lever are computed of.
#pragma once

#include "study/experiment.hpp"
#include "study/summary/lever_ranking.hpp"
#include "study/summary/metrics.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// Values whose mean is a ratio with its controls, and which scatter around it as that mean does: by how much each replica moves it
/// (study/controlled_ratio.hpp).
struct Controlled {
  std::vector<Fraction> values;  // none without controls, or where these leave nothing of the scatter
  std::size_t controls = 0;
};
Controlled controlled(std::span<const Fraction> of, const Controls& controls);

/// A pair of measures to compare: both with their controls, or both plain where one of them cannot be compared so.
struct ComparedPair {
  std::span<const Fraction> first, second;
  std::size_t controls = 0;  // the more of both
};
ComparedPair compared(std::span<const Fraction> first, const Controlled& first_controlled,
                      std::span<const Fraction> second, const Controlled& second_controlled);

/// A ratio of totals, replica by replica.
struct Measure {
  std::vector<Fraction> plain;
  Controlled controlled;
};

/// Of the point of a lever.
struct Measures {
  Measure goodput;         // tokens per second of wall time
  Measure time_per_token;  // the inverse
  Measure cost_per_token;  // empty without a price
};

Measures measures_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas);

/// How much an interval of a gain holds, and whether one without scatter is exact: where no event is possible, not where
/// none was seen.
struct Certainty {
  double level = 0.95;
  bool constant_is_exact = false;
};

/// The difference of the paired means times `factor`, with an interval unless it is the same in all pairs and events are possible.
Gain gain_of(const Measure& before, const Measure& after, double factor, const Certainty& certainty);

/// The same in every replica.
bool are_equal(std::span<const Fraction> first, std::span<const Fraction> second);

}  // namespace gauntlet
