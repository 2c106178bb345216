// How the log lines of a scenario are found in what ranks and the kernel print.
#pragma once

#include "models/world/world.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// By PatternId: the expression that the scenario gives (drill.lines), else the usual one of a line of that name. Empty for a line that
/// is known by name alone, as gauntlet_rank logs it.
std::vector<std::string> line_expressions(const World& world);

/// A line of that name as its writer would write it, with a word that it was injected. The usual expression finds it.
std::string sample_line(std::string_view name);

}  // namespace gauntlet
