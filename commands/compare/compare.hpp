// Scenarios under the same faults: what differs, what makes the difference, and the replica that shows it best.
#pragma once

#include "commands/compare/result.hpp"
#include "study/experiment.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace gauntlet {

/// A point that is compared, as people know it.
struct ComparedPoint {
  PointNumber point = 0;
  std::string label;
  std::string command;  // ComparedScenario::command
  Settings settings;    // of a variant
};

/// Holds every point against the first, over `replicas` of each; over those that all of them have where the experiment was
/// stopped (`interrupted`; without any, nothing is compared). There are at least two points; `seed` is the experiment's.
CompareResult compare(Experiment& experiment, std::span<const ComparedPoint> points, std::uint32_t replicas,
                      std::uint64_t seed);

}  // namespace gauntlet
