// gauntlet tune: the values of fields that make a metric best.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_tune(Program& program);

}  // namespace gauntlet
