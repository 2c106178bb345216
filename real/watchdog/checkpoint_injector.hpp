// A damaged checkpoint: the newest whole one of the drill's job cannot be read any more. It stays so, and there is nothing to undo.
#pragma once

#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

HostInjector checkpoint_injector();

}  // namespace gauntlet
