// Many drills of one scenario, one after the other, each beside the simulation of its fault plan.
//
// The directory of --out holds drills/K.rec, the recording of drill K (from 1), and drills/K, its results as `gauntlet drill --out` writes
// them. A drill is complete once drills/K is there. An interrupted drill leaves nothing there, because the time until it would go on
// is not a time of the job. report.txt and result.json compare all that are complete.
#pragma once

#include "cli/drill/request.hpp"

namespace gauntlet {

/// Prints the comparison. Gives the exit code: a drill that failed is a failure.
int repeat_drill(const DrillTask& task);

}  // namespace gauntlet
