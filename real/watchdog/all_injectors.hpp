// The faults that a watchdog carries out: slow and paused ranks, links that are down or slow. A rank that is killed or stopped for good needs
// none: ranks die with their agent.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

const HostInjectors& host_injectors();

}  // namespace gauntlet
