// A plan as charts: when runs finish, and what that hangs on.
#pragma once

#include "commands/plan/result.hpp"
#include "report/chart.hpp"

#include <string>

namespace gauntlet {

/// The distribution of the finish, with and without parameter uncertainty, and the tornado. `command`: that makes it again.
ChartPage chart_of(const PlanResult& result, const std::string& command);

}  // namespace gauntlet
