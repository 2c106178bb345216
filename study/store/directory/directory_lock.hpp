// One program at a time in a directory.
#pragma once

#include "core/files/files.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

inline constexpr std::string_view kLockFile = "lock";

struct LockTaken;

/// Held until it is destroyed, or the process dies (flock(2)).
class DirectoryLock {
 public:
  /// Makes the directory, where there is none, with this mode, and the lock file in it.
  static LockTaken take(const std::filesystem::path& directory, Files& files = system_files(),
                        mode_t mode = 0777);

  ~DirectoryLock();
  DirectoryLock(DirectoryLock&& other) noexcept;
  DirectoryLock& operator=(DirectoryLock&& other) noexcept;

 private:
  explicit DirectoryLock(int file) : file_(file) {}
  int file_;
};

struct LockTaken {
  std::optional<DirectoryLock> lock;
  bool held_by_other = false;  // else, where there is none, `why` says what failed
  std::string why = {};
};

}  // namespace gauntlet
