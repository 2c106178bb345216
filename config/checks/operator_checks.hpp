// Whether what operators do fits the cluster and the window.
#pragma once

#include "config/toml/place.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

void check_operators(const Place& root, const World& world);

}  // namespace gauntlet
