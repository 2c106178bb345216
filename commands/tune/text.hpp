// What a search for the best settings found, as a person reads it: the settings, how flat it is around them, and what the
// formulas say.
#pragma once

#include "commands/tune/result.hpp"
#include "report/report_options.hpp"
#include "report/units.hpp"

#include <string>

namespace gauntlet {

/// Text of 100 columns (only the question's words, long paths and the command may be wider); every line ends in a newline,
/// the first is the answer.
std::string text_report(const TuneResult& result, const ReportOptions& options);

/// "checkpoint.interval = 53min (95% interval 51min to 55min) gives the best ETTR, 96.11% +- 0.04 (Monte Carlo only)."
std::string answer_line(const TuneResult& result);

}  // namespace gauntlet
