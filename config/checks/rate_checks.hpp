// How often things happen: what no simulation could get through is refused.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "config/toml/place.hpp"

namespace gauntlet {

/// Of a scenario without other mistakes: what is counted may rest on them.
void check_rates(const Place& root, const Scenario& scenario);

}  // namespace gauntlet
