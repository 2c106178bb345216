// What cannot be said of one part of a scenario alone: whether its parts fit together.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "config/toml/place.hpp"

namespace gauntlet {

/// Which faults repair.by_cause names, once all of them are known.
void connect_repairs(const Place& root, World& world);

/// Reports what does not fit. A check is left out where a value that it needs is itself a mistake.
void check_scenario(const Place& root, const Scenario& scenario);

}  // namespace gauntlet
