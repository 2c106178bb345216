// gauntlet compare: several scenarios, or several versions of one, under the same faults.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_compare(Program& program);

}  // namespace gauntlet
