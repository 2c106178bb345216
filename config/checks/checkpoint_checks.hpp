// Whether checkpoints can be had as a scenario wants them: as often, as far back, and with room for them.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "config/toml/place.hpp"

#include <string_view>

namespace gauntlet {

/// The intervals of [checkpoint], which is `place`; `policy`: its name.
void check_tiers(const Place& place, const CheckpointConstants& checkpoint, std::string_view policy,
                 const World& world);

/// What checkpoints need of other parts of the scenario.
void check_checkpoints(const Place& root, const Scenario& scenario);

}  // namespace gauntlet
