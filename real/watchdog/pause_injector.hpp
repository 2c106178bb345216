// A pause of ranks: their processes are stopped, and go on at the end. Whoever is paused keeps its memory, files and connections.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector pause_injector();

}  // namespace gauntlet
