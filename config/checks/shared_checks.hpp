// Whether this job and the others can share the cluster that a scenario gives them.
#pragma once

#include "config/toml/place.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

/// Sizes that fit, a load that is not known to grow without end, and others that matter to this job.
void check_shared(const Place& root, const World& world);

}  // namespace gauntlet
