// gauntlet topology: the network of a scenario's cluster.
#pragma once

#include "shell/options.hpp"

namespace gauntlet {

void add_topology(Program& program);

}  // namespace gauntlet
