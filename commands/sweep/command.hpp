// gauntlet sweep: one scenario at many values of its fields.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_sweep(Program& program);

}  // namespace gauntlet
