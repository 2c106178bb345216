// gauntlet scale: one scenario at many sizes of its job.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_scale(Program& program);

}  // namespace gauntlet
