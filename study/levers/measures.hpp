// What the gains of a lever are computed of.
#pragma once

#include "study/experiment.hpp"
#include "study/summary/lever_ranking.hpp"
#include "study/summary/metrics.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// A ratio of totals, replica by replica.
struct Measure {
  std::vector<Fraction> plain;
  std::vector<Fraction> controlled;  // controlled() by the controls of the point
};

/// Of the point of a lever.
struct Measures {
  Measure goodput;         // tokens per second of wall time
  Measure time_per_token;  // the inverse
  Measure cost_per_token;  // empty without a price
};

/// Values whose mean is the ratio with its controls, and which scatter around it as that mean does: by how much each replica moves it
/// (study/controlled_ratio.hpp). The fractions as they are without controls, or where these leave nothing of the scatter.
std::vector<Fraction> controlled(std::span<const Fraction> of, const Controls& controls);

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
