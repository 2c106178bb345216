// A sweep as charts.
#pragma once

#include "commands/sweep/result.hpp"
#include "report/chart.hpp"

#include <string>

namespace gauntlet {

/// Of one field: what makes a point the best against it, and where the time goes. Of two: a line for each value of the
/// shorter one, or a map where both are long. Of more, or of a Latin hypercube: the points against each field.
/// `command` makes it again.
ChartPage chart_of(const SweepResult& result, const std::string& command);

}  // namespace gauntlet
