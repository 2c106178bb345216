// The details of a run, from the store and from a replica that runs again.
#pragma once

#include "commands/run/result.hpp"
#include "study/experiment.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What the page needs of each replica. It sees them while their statistics are computed, because reading costs what is left beside a run.
struct ReplicaReader {
  explicit ReplicaReader(const ScenarioFacts& facts);
  void see(std::uint32_t replica, const Figures& figures);
  /// Of a metric that the point has, by replica.
  const std::vector<Fraction>& values(std::string_view name) const;

  std::vector<Metric> metrics;
  std::vector<std::vector<Fraction>> of;  // by metric
  std::vector<std::uint32_t> numbers;
  std::vector<Duration> walls;
  LossGrid losses;
};

/// Of all replicas of a point in the store, which `read` has seen. The replica whose ETTR is the median, of equal ones the first, is run again for its parts
/// and its orders; `terms` are those that it was run with. A study that was stopped shows no replica.
RunDetails run_details(Experiment& experiment, PointNumber point, const Summary& summary,
                       const ReplicaReader& read, const StudyTerms& terms);

}  // namespace gauntlet
