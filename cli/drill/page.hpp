// A drill as a page.
#pragma once

#include "cli/drill/one_drill.hpp"
#include "report/page/page.hpp"

namespace gauntlet {

/// The sections of a run, of the one run that a drill is, with what its report says of ranks, hosts and clocks; then the assumptions
/// and the report as text.
Page page_of(const DrillTask& task, const MeasuredDrill& drill);

}  // namespace gauntlet
