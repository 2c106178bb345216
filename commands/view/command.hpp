// gauntlet view: a page of the ranks and hosts of a run, and of how its stops spread.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_view(Program& program);

}  // namespace gauntlet
