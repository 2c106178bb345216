// The precision that a study is to reach.
#pragma once

#include "core/problem.hpp"
#include "study/summary/facts.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// The half-width of a metric's 95% interval that is to be reached.
struct PrecisionGoal {
  std::string metric;
  double half_width = 0;  // in the metric's unit
};

struct ParsedPrecision {
  std::optional<PrecisionGoal> goal;
  std::string note = {};  // what the report says of it, where its unit is easily mistaken; may be empty
  std::optional<Problem> problem;  // where there is none
};
/// "ettr=0.002": 0.2 percentage points of ETTR; also as a percentage ("ettr=0.2%"), and of a metric in seconds as a duration ("wall_time_s=1h"). Without a metric
/// it is that of ettr. `facts`: whose metrics there are.
ParsedPrecision parse_precision(std::string_view text, const ScenarioFacts& facts);

}  // namespace gauntlet
