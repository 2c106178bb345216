// What of each shipped scenario is timed.
#pragma once

namespace gauntlet {

/// Adds `load/NAME` and `replica/NAME` for every shipped scenario, and `elision/every-fault`: what telemetry would cost in full.
void register_scenario_benchmarks();

}  // namespace gauntlet
