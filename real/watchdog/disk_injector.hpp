// A disk of a lab's host that is full or fails: the one on which its ranks write checkpoints (real/fault_disk). The server of the disk ends the
// fault by its own clock. Nothing is mounted or unmounted for it.
#pragma once

#include "real/fault_disk/disk_state.hpp"
#include "real/watchdog/host_injector.hpp"

namespace gauntlet {

/// `fault`: full or failing.
template <StorageFault fault>
HostInjector disk_injector();

}  // namespace gauntlet
