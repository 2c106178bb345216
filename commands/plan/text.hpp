// A plan as a person reads it: whether the date holds, what it takes, and what one more of each thing buys.
#pragma once

#include "commands/plan/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// Text of 100 columns, tables somewhat wider; every line ends in a newline, the first is the answer.
std::string text_report(const PlanResult& result, const ReportOptions& options);

/// "As given, 97.0% (93.6 to 98.9) of runs finish 10T tokens within 60 days (Monte Carlo only); the requirement is 95%. 14,080 GPUs and 9
/// spare hosts would be enough: 95.5% (91.6 to 97.9)."
std::string answer_line(const PlanResult& result);

}  // namespace gauntlet
