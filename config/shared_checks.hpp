// Whether this job and the others can share the cluster that a scenario gives them.
#pragma once

#include "config/place.hpp"
#include "models/world.hpp"

namespace gauntlet {

/// Sizes that fit, others that matter to this job, and a load that leaves it hosts at some time.
void check_shared(const Place& root, const World& world);

}  // namespace gauntlet
