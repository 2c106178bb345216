// How many replicas each point of a sweep runs.
#pragma once

#include "commands/sweep/terms.hpp"
#include "study/experiment.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

struct Rounds {
  std::vector<std::uint32_t> replicas;  // by point
  std::vector<bool> precise;            // by point: reached the precision, or none was asked for
  bool complete = false;                // everything that was asked for was run
  bool budget_spent = false;            // ... and more would have been, had the budget allowed it
};

/// Runs the replicas that the terms ask for. Decisions depend on the values of the replicas that were asked for, not on
/// what the store has beside them.
Rounds run_rounds(Experiment& experiment, std::span<const PointNumber> points, const SweepTerms& terms);

}  // namespace gauntlet
