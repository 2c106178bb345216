// From fault to observation to order to outcome: the slices of these, and the arrows between them.
#pragma once

#include "commands/timeline/plan.hpp"
#include "commands/timeline/run.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace gauntlet {

/// Observations of detectors that are drawn one by one, but for those of one detector and time. Of more, those that no order answers and no arrow leads to are drawn
/// together: an assumption about what anybody looks at.
inline constexpr std::size_t kMostSingleObservations = 20'000;

struct Chain {
  std::size_t faults = 0;
  std::vector<std::optional<SliceNumber>>
      observations;  // by place in the record; nothing where it is drawn with others
};

/// Adds faults, then each observation and the orders that answer it. Which observation an order answers, and which order an
/// outcome answers, the record says. Which observation shows a fault is derived (episodes.hpp).
Chain add_chain(const TimelineRun& run, TracePlan& plan,
                std::size_t most_observations = kMostSingleObservations);

}  // namespace gauntlet
