// A sweep as a person reads it: the best point, how sure that is, and every point.
#pragma once

#include "commands/sweep/result.hpp"
#include "report/report_options.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// Every line ends in a newline; the first is the answer.
std::string text_report(const SweepResult& result, const ReportOptions& options);

/// What a reader should know of the answer, a sentence or more each: how sure the best is, what the worst loses, whether the
/// best is at the end of its range.
std::vector<std::string> remarks(const SweepResult& result);

/// By how much a point trails the best one, with its 95% interval: "0.31 +- 0.12 percentage points". Empty for the best.
std::string trails_text(const SweepResult& result, const SweptPoint& point);

/// The first line.
std::string answer_line(const SweepResult& result);

}  // namespace gauntlet
