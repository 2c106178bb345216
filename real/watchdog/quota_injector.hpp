// A slow rank: its processes move to a control group of their own below their host's, which has less processor time. The agent stays in
// its own group, so that it is as fast as before.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector quota_injector();

}  // namespace gauntlet
