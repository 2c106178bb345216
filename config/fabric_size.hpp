#pragma once

#include "core/problem.hpp"
#include "models/world/world.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// Why the cluster of a scenario is too large to be looked at link by link; nothing where it is not.
std::optional<Problem> problem_of_size(const std::string& scenario, const World& world);

}  // namespace gauntlet
