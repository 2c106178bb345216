// The fault of one disk, in a small file that two processes map: the server of the disk (program/) reads it at each call, and an injector
// writes it. The fault ends by the server's own clock, whoever is dead by then.
#pragma once

#include "core/time.hpp"

#include <atomic>
#include <cstdint>
#include <string>

namespace gauntlet {

enum class StorageFault : std::uint32_t {
  none,
  full,     // ENOSPC for what needs space
  slow,     // a write and a sync take longer by a delay
  failing,  // EIO for everything
  lying,    // a sync returns at once; what was written since is gone once the power is cut
  hanging,  // every call waits for the end of the fault
};

class DiskState {
 public:
  enum class Open : std::uint8_t { make_new, existing };
  /// Maps the file. Throws std::system_error.
  DiskState(const std::string& path, Open how);
  ~DiskState();
  DiskState(const DiskState&) = delete;
  DiskState& operator=(const DiskState&) = delete;

  /// From now on, for so long; kForever: until another call. Processes of other time namespaces have another now.
  void set(StorageFault fault, Duration lasts, Duration delay = {});
  /// None once its time is over.
  StorageFault fault() const;
  /// Of a slow disk.
  Duration delay() const;

  /// The disk loses what a lying sync has promised.
  void cut_power();
  std::uint32_t power_cuts() const;

 private:
  struct Shared {
    std::atomic<std::uint32_t> fault, power_cuts;
    std::atomic<std::int64_t> until_ns, delay_ns;  // CLOCK_MONOTONIC; 0: no fault
  };
  static_assert(std::atomic<std::int64_t>::is_always_lock_free);

  Shared* shared_;
};

}  // namespace gauntlet
