#include "real/probes/host/file_system_space.hpp"

#include <linux/magic.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <cerrno>

namespace gauntlet {

FileSystemSpace space_of(const std::string& directory) {
  struct statvfs found {};
  struct statfs kind {};
  if (::statvfs(directory.c_str(), &found) != 0 || ::statfs(directory.c_str(), &kind) != 0)
    return {.error = errno};
  return {.bytes = found.f_blocks * found.f_frsize,
          .available = found.f_bavail * found.f_frsize,
          .inodes = found.f_files,
          .free_inodes = found.f_favail,
          .in_memory = kind.f_type == TMPFS_MAGIC || kind.f_type == RAMFS_MAGIC,
          .error = 0};
}

}  // namespace gauntlet
