// Settings that are given and change nothing, because another one leaves them no say.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "config/toml/place.hpp"

namespace gauntlet {

/// A warning for each, with what would give it one.
void warn_of_unused(const Place& root, const Scenario& scenario);

}  // namespace gauntlet
