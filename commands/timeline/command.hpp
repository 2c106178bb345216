// gauntlet timeline: a trace of a run, for Perfetto.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_timeline(Program& program);

}  // namespace gauntlet
