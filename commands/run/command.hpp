// gauntlet run: a scenario file in, an answer out.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_run(Program& program);

}  // namespace gauntlet
