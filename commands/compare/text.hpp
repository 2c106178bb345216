// A comparison as a person reads it: the answer, what makes the difference, every figure that differs, and the replica that
// shows it best.
#pragma once

#include "commands/compare/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// Every line ends in a newline. The first lines are the answer, one for each scenario beyond the
/// first; empty where no replica was done.
std::string text_report(const CompareResult& result, const ReportOptions& options);

}  // namespace gauntlet
