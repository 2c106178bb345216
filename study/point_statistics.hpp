// Statistics of one metric over some replicas of a point.
#pragma once

#include "study/experiment.hpp"
#include "study/statistics.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Over the replicas `first` to `end` - 1 of a point, as a summary has them. Precondition: experiment.metric_exists().
Statistics statistics_of(const Experiment& experiment, PointNumber point, std::string_view metric,
                         std::uint32_t first, std::uint32_t end);

/// The value of each replica 0 to `count` - 1 that defines the metric; of a metric of whole runs, infinite for a run that gave up.
std::vector<double> run_values(const Experiment& experiment, PointNumber point, std::string_view metric,
                               std::uint32_t count);

}  // namespace gauntlet
