// One training step, as a person reads it.
#pragma once

#include "commands/step/result.hpp"
#include "report/report_options.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// Every line ends in a newline; the first is the answer.
std::string text_report(const StepReport& report, const ReportOptions& options);

/// "One step takes 6.65 s: 52.6% MFU on 12,288 GPUs; 4.9% longer than healthy because of host 17."
std::string answer_line(const StepReport& report);

/// "6.34 s", "12.3 ms"
std::string step_time_text(Duration time);

/// What follows it: the rates, what the step is of, and what is degraded. A paragraph each.
std::vector<std::string> setting_lines(const StepReport& report);

/// The parts of the step by name, in the order in which they are listed.
std::vector<std::pair<std::string, Duration>> named_parts(const StepReport& report);

/// "Exposed communication (tp, pp, dp): 11.2% of the step. No compute overlaps it."
std::string communication_text(const StepReport& report);

}  // namespace gauntlet
