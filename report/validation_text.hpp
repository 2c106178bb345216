// How the step model does against published measurements, as a person reads it.
#pragma once

#include "report/text.hpp"
#include "study/results/validation.hpp"

#include <string>

namespace gauntlet {

/// The first line is the answer, the next says how each software stack does on rows that it was not fitted on; then what must
/// hold, where not to trust the model, the errors of each stack, and every row.
std::string text_report(const StepValidation& result, const ReportOptions& options);

/// "All 12 bounds hold over 185 published steps; on the 49 that no constant was fitted on errors have a median of 5.6%, a mean
/// of 9.1% and a largest of 38.2% (vtrain-m044)."
std::string answer_line(const StepValidation& result);

}  // namespace gauntlet
