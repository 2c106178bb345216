// The drill that a command means where the user named none.
#pragma once

#include "core/problem.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// The directory of the only drill of this user that runs; or a problem where there is none, or several.
std::optional<Problem> find_running_drill(std::string& directory);

}  // namespace gauntlet
