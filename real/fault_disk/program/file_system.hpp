// A directory as a disk that fails when it is told to: each call goes on to the directory below, unless the state of the disk says otherwise.
#pragma once

#include "real/fault_disk/disk_state.hpp"

#include <string>

namespace gauntlet {

/// Mounts the disk over `directory`, for this process's mount namespace and all users, calls `mounted` once, and serves until the kernel ends it.
/// The exit code.
int serve_fault_disk(const std::string& directory, const DiskState& state, void (*mounted)());

}  // namespace gauntlet
