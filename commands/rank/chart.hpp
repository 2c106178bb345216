// The levers of a scenario, as a chart.
#pragma once

#include "commands/rank/result.hpp"
#include "report/chart.hpp"

#include <string>

namespace gauntlet {

/// What each lever saves, the most valuable first. `command` makes it again.
ChartPage chart_of(const RankResult& result, const std::string& command);

}  // namespace gauntlet
