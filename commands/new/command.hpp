// gauntlet new: a commented scenario from what a planner knows.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_new(Program& program);

}  // namespace gauntlet
