// What detection can and cannot do with the telemetry, the timeouts and the faults of a scenario.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "config/toml/place.hpp"

namespace gauntlet {

void check_detection(const Place& root, const Scenario& scenario);

}  // namespace gauntlet
