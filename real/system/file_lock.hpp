// Locks of whole files by which processes of this machine know each other. Such a lock is the process's, not the open file's: a
// forked child does not hold it on, it dies with the process, and closing any descriptor of the file gives it up.
#pragma once

#include "real/system/descriptor.hpp"

#include <sys/types.h>

#include <optional>
#include <string>

namespace gauntlet {

/// Makes the file where it is not. Empty where that fails, with errno.
Descriptor open_lock_file(const std::string& path);

/// False where another process holds it, or with another errno than EACCES and EAGAIN where it fails.
bool take_lock(const Descriptor& file);
/// Waits while another process holds it.
bool wait_for_lock(const Descriptor& file);

/// Nothing where nobody, or this process, holds it.
std::optional<pid_t> holder_of(const Descriptor& file);

struct LockHolder {
  pid_t pid = -1;
  Descriptor process;  // a pidfd; empty where nobody holds the lock, or the process cannot be watched
};
/// Held at a moment while `process` was open: its number was not another's.
LockHolder process_with(const Descriptor& file);

}  // namespace gauntlet
