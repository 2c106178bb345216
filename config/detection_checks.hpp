// What detection can and cannot do with the telemetry, the timeouts and the faults of a scenario.
#pragma once

#include "config/place.hpp"
#include "config/scenario.hpp"

namespace gauntlet {

void check_detection(const Place& root, const Scenario& scenario);

}  // namespace gauntlet
