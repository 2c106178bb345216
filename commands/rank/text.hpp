// The levers of a scenario, as a person reads them.
#pragma once

#include "commands/rank/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// Every line ends in a newline; the first is the answer.
std::string text_report(const RankResult& result, const ReportOptions& options);

/// The first line.
std::string answer_line(const RankResult& result);

}  // namespace gauntlet
