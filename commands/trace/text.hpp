// What a failure trace holds, as a person reads it.
#pragma once

#include "commands/trace/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// The first line is the answer; then what was read, how durations of zero were taken, the laws of the times between failures,
/// repairs by cause, and how unevenly nodes fail.
std::string text_report(const TraceFit& result, const ReportOptions& options);
std::string text_report(const TraceImport& result, const ReportOptions& options);

/// "System 20: 2,478 failures of 512 nodes, one every 13.2 h; times between failures are best fitted by a hyperexponential law;
/// Weibull shape 0.647 +- 0.010."
std::string answer_line(const TraceFit& result);

}  // namespace gauntlet
