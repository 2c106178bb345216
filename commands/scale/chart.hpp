// What a job's size does to it, as charts.
#pragma once

#include "commands/scale/result.hpp"
#include "report/chart.hpp"

#include <string>

namespace gauntlet {

/// Against GPUs: the mean time to failure, ETTR and MFU, the best checkpoint interval, where the time goes. `command` makes
/// it again.
ChartPage chart_of(const ScaleResult& result, const std::string& command);

}  // namespace gauntlet
