// What of each shipped scenario is timed.
#pragma once

namespace gauntlet {

/// Adds `load/NAME` and `replica/NAME` for every shipped scenario.
void register_scenario_benchmarks();

}  // namespace gauntlet
