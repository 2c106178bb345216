// What a job's size does to it, as a person reads it.
#pragma once

#include "commands/scale/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// Every line ends in a newline; the first is the answer.
std::string text_report(const ScaleResult& result, const ReportOptions& options);

/// The first line.
std::string answer_line(const ScaleResult& result);

}  // namespace gauntlet
