// A slow link: a data interface of a lab's host sends less in a second, by a token bucket of the kernel (tc-tbf(8)).
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector rate_injector();

}  // namespace gauntlet
