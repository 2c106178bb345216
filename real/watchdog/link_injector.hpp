// A lost link: a data interface of a lab's host is set down. Whoever sends over it waits, as for packets that are dropped.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector link_injector();
/// The same of the management interface: driver and agent cannot reach each other.
HostInjector partition_injector();

}  // namespace gauntlet
