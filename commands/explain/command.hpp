// gauntlet explain: what a word of a report, a scenario or a result means.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_explain(Program& program);

}  // namespace gauntlet
