// gauntlet validate: the models against what others measured, worked out or simulated.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_validate(Program& program);

}  // namespace gauntlet
