// The faults that a watchdog carries out: a slow rank, and a link that is down. Signals to ranks need none, for ranks die with their agent.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

const HostInjectors& host_injectors();

}  // namespace gauntlet
