// gauntlet step: how long one training step takes, and where its time goes.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_step(Program& program);

}  // namespace gauntlet
