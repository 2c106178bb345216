// Memory that runs out: a rank's processes move to a control group of their own, and a process of ours fills it until the kernel kills the rank. The
// rest of the machine has as much memory as before.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector memory_injector();

}  // namespace gauntlet
