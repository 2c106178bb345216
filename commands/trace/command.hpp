// gauntlet trace: failure records to faults of a scenario.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_trace(Program& program);

}  // namespace gauntlet
