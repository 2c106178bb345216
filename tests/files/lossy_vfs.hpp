// SQLite on a disk that fails and loses what was not synced.
#pragma once

#include "tests/files/lossy_files.hpp"

#include <memory>

namespace gauntlet {

/// While it lives, SQLite's default file layer is that of the system with this disk's faults before each call, and tells the
/// disk what it writes, names and syncs.
class LossyVfs {
 public:
  explicit LossyVfs(FaultyDisk& disk);
  ~LossyVfs();
  LossyVfs(const LossyVfs&) = delete;
  LossyVfs& operator=(const LossyVfs&) = delete;

  struct Vfs;

 private:
  std::unique_ptr<Vfs> vfs_;
};

}  // namespace gauntlet
