// The curves around the best settings as a chart page.
#pragma once

#include "commands/tune/result.hpp"
#include "report/chart.hpp"

#include <string>

namespace gauntlet {

/// A line for each field, the other fields at their best, with the best, today's and the formulas' values marked.
/// `command` repeats the search.
ChartPage chart_of(const TuneResult& result, const std::string& command);

}  // namespace gauntlet
