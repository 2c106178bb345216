// gauntlet calibrate: recordings of drills to measured values of a scenario.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_calibrate(Program& program);

}  // namespace gauntlet
