// One drill and its report.
#pragma once

#include "cli/drill/request.hpp"

namespace gauntlet {

/// Prints the report of a drill, or what it would start. Gives the exit code.
int drill_once(const DrillTask& task);

}  // namespace gauntlet
