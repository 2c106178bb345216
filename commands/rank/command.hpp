// gauntlet rank: the most valuable improvement of a scenario.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_rank(Program& program);

}  // namespace gauntlet
