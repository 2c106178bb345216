// What a person reads: the answer first, then why it is that.
#pragma once

#include "report/report_options.hpp"
#include "study/summary/summary.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// The figures of a study as text of 100 columns (only the question's words and the command may be wider). Every line
/// ends in a newline. The second says how many runs gave up, where any did; then comes the finishing time or the
/// progress.
std::string text_report(const Summary& summary, const ReportOptions& options);

/// The first line of the report: the share of the time that trained the model, with its interval.
std::string answer_line(const Summary& summary);

/// What follows the answer: the work that was done or the finishing time, the question, the size of the job, and what
/// `options` says of faults and assumptions. A paragraph each.
std::vector<std::string> setting_lines(const Summary& summary, const ReportOptions& options);

}  // namespace gauntlet
