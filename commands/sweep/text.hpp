// A sweep as a person reads it: the best point, how sure that is, and every point.
#pragma once

#include "commands/sweep/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// Every line ends in a newline; the first is the answer.
std::string text_report(const SweepResult& result, const ReportOptions& options);

/// The first line.
std::string answer_line(const SweepResult& result);

}  // namespace gauntlet
