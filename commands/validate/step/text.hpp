// How the step model does against published measurements, as a person reads it.
#pragma once

#include "commands/validate/step/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// The first line is the answer: the error of predictions first. The next ones say how each software stack predicts, and how
/// closely it was fitted; then what must hold, where not to trust the model, the errors of each stack, and every row.
std::string text_report(const StepValidation& result, const ReportOptions& options);

/// "Of 185 published steps, 44 were predicted, with errors that have a median of 4.5%, a mean of 8.3% and a largest of 28.7%
/// (mt-nlg-530b-3360). 14 bounds hold: 2 of predictions, 9 of fits, 1 of memory, 2 of the structure of published rows."
std::string answer_line(const StepValidation& result);

}  // namespace gauntlet
