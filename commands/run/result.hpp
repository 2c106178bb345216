// What the page of a run shows beyond its summary: the values of single replicas, and one replica over time.
#pragma once

#include "report/sections/lost_time.hpp"
#include "report/sections/over_time.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// The values of a metric in the replicas that did not give up.
struct RunValues {
  std::string metric;
  std::vector<double> values;
};

struct RunDetails {
  LossGrid losses;
  std::vector<RunValues> values;  // of ETTR, wall time and cost: those that the summary has
  std::optional<ShownRun> shown;  // the replica whose ETTR is the median
  std::string not_shown;          // why there is none
};

}  // namespace gauntlet
