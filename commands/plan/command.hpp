// gauntlet plan: what it takes to finish by a date, and what one more of each thing buys.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_plan(Program& program);

}  // namespace gauntlet
