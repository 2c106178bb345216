// How often intervals hold, as a table.
#pragma once

#include "commands/validate/coverage/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

std::string answer_line(const CoverageResult& result);

/// The answer, and a line of each scenario and metric.
std::string text_report(const CoverageResult& result, const ReportOptions& options);

/// The same as a table in Markdown.
std::string markdown(const CoverageResult& result);

}  // namespace gauntlet
