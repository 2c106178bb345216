// What the report of a drill says beyond that of a simulation.
#pragma once

#include "real/driver/drill.hpp"

#include <string>

namespace gauntlet {

/// The last words of ranks that failed, damaged checkpoints, faults that were not injected, what operators did and why, what became of evicted hosts, and the clocks of hosts.
std::string drill_sections(const DrillResult& result);

}  // namespace gauntlet
