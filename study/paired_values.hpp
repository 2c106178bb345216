// What a comparison holds against each other: every metric and every lost second of a point, replica by replica.
#pragma once

#include "study/experiment.hpp"
#include "study/results/compare.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// Kept: 16 bytes a metric and replica, and 8 a (cause, phase) that ever lost time. With a hundred metrics and 100,000
/// replicas that is about 250 MB a point.
struct PointValues {
  using Cell = std::pair<std::string, Phase>;  // a cause by its name, and the phase

  std::vector<std::string> names;              // of the metrics
  std::vector<std::vector<Fraction>> metrics;  // by metric and replica
  std::vector<double> wall;                    // seconds
  std::map<Cell, std::vector<double>> lost;    // seconds; without those that lost nothing in any replica
  bool all_completed = true;                   // every replica did all its work

  /// Of a metric; null where there is none of that name.
  const std::vector<Fraction>* find(std::string_view metric) const;
};

/// Of the first `count` replicas, in one pass over the store.
PointValues read_values(const Experiment& experiment, PointNumber point, std::uint32_t count);

/// Every metric of either.
std::vector<MetricDifference> differences(const PointValues& first, const PointValues& second);

/// Everything that was lost, in one sum and in parts, and the replica that is nearest to it.
struct LossesApart {
  LossDifference all;
  std::vector<LossDifference> by_cause_and_phase, by_cause,
      by_phase;  // the largest difference first; none for nothing
  std::uint32_t nearest = 0;
};
LossesApart losses_apart(const PointValues& first, const PointValues& second, Basis basis);

}  // namespace gauntlet
