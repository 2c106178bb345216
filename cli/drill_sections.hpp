// What the report of a drill says beyond that of a simulation.
#pragma once

#include "policies/constants.hpp"
#include "real/driver/drill.hpp"

#include <string>

namespace gauntlet {

/// The last words of ranks that failed, damaged checkpoints, faults that were not injected, what operators did and why, what became of evicted
/// hosts, how much steps jittered, and the clocks of hosts.
std::string drill_sections(const DrillResult& result, const PolicyConstants& policies);

}  // namespace gauntlet
