// How the policies and the simulator do against closed forms and other simulators, as a person reads it.
#pragma once

#include "commands/validate/oracles/result.hpp"
#include "report/report_options.hpp"

#include <string>

namespace gauntlet {

/// The first line is the answer; then each subject with the conventions that it holds for, and its figures below.
std::string text_report(const PolicyValidation& result, const ReportOptions& options);

/// "All 31 checks hold: the largest of 20 z-scores is 2.31 (spares, S = 16, fixed repair)."
std::string answer_line(const PolicyValidation& result);

}  // namespace gauntlet
