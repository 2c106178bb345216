// What the job did with its time: its phases, its incidents, its checkpoints, its steps.
#pragma once

#include "commands/timeline/plan.hpp"
#include "commands/timeline/run.hpp"
#include "score/figures.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// The most checkpoints that are drawn one by one. A run with more draws neighbours together, so that no more slices than this
/// remain. Assumption about what a reader looks at.
inline constexpr std::int64_t kMostSingleCheckpoints = 5'000;

/// A number at a time.
struct CountAt {
  Time at;
  double value = 0;
};

struct DrawnTraining {
  Figures figures;
  std::vector<CountAt> steps;         // completed, with those that a restart lost
  std::int64_t checkpoints = 0;       // complete ones
  std::int64_t checkpoints_each = 1;  // in one slice, at most
};

/// The run has its logs, and they fit its world.
DrawnTraining add_training(const TimelineRun& run, TracePlan& plan,
                           std::int64_t most_checkpoints = kMostSingleCheckpoints);

}  // namespace gauntlet
