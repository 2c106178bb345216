// The drill that a command means where the user named none.
#pragma once

#include "core/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// The directory of the only drill of this user that runs; or a problem where there is none, or several. `how`: a user names one, "with --drill
/// DIR".
std::optional<Problem> find_running_drill(std::string& directory, std::string_view how);

}  // namespace gauntlet
