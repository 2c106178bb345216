// That runs ended without an answer, and what they waited for.
#pragma once

#include "study/summary/summary.hpp"

#include <string>

namespace gauntlet {

double runs_that_gave_up(const Summary& summary);

/// How many gave up, and after how long without progress; empty where all went on.
std::string gave_up_line(const Summary& summary);

/// What those waited for, as far as the losses of all runs together prove it; else how to find out. Empty where all went on.
std::string gave_up_reason(const Summary& summary);

}  // namespace gauntlet
