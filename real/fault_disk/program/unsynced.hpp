// What was written to a disk whose syncs lie: it is gone once the power is cut.
#pragma once

#include <sys/types.h>

#include <map>
#include <mutex>

namespace gauntlet {

/// A file that was written since its last honest sync keeps the length that it had then. Names and folders stay, as on file systems that write
/// names before data. Any number of threads may call it.
class Unsynced {
 public:
  Unsynced() = default;
  ~Unsynced() { forget(); }
  Unsynced(const Unsynced&) = delete;
  Unsynced& operator=(const Unsynced&) = delete;

  /// Before a write to this open file.
  void will_write(int file);
  /// An honest sync.
  void synced(int file);
  /// The power is cut.
  void lose();

 private:
  struct Kept {
    int file = -1;  // our own
    off_t length = 0;
  };
  void forget();

  std::mutex mutex_;
  std::map<ino_t, Kept> files_;
};

}  // namespace gauntlet
