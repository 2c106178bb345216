// One training step, as a person reads it.
#pragma once

#include "commands/step/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// Every line ends in a newline; the first is the answer.
std::string text_report(const StepReport& report, const ReportOptions& options);

/// "One step takes 6.65 s: 52.6% MFU on 12,288 GPUs; 4.9% longer than healthy because of host 17."
std::string answer_line(const StepReport& report);

}  // namespace gauntlet
