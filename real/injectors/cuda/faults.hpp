// Faults of a GPU, brought about by a process of its own: what it does ends with it, or with the device's clock.
#pragma once

#include <chrono>
#include <cstddef>

namespace gauntlet::cuda {

using Seconds = std::chrono::duration<double>;

/// A kernel that writes to an address which no allocation has. The driver ends this process's context, and logs an XID. Returns whether it said
/// cudaErrorIllegalAddress. Throws Error.
bool write_to_illegal_address();

/// Keeps every multiprocessor busy until the device's clock has gone on for so long. Returns how long that was by the host's clock. Throws
/// Error.
Seconds spin(Seconds longest);

/// Takes all of the device's memory but so many bytes, while it lives.
class MemoryPressure {
 public:
  explicit MemoryPressure(std::size_t left);
  ~MemoryPressure();
  MemoryPressure(const MemoryPressure&) = delete;
  MemoryPressure& operator=(const MemoryPressure&) = delete;
  std::size_t taken() const { return bytes_; }

 private:
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What a process sees of the device: how long a fixed work takes, as the mean over that time. Throws Error.
Seconds work_takes(Seconds during);

/// Spins for this share of the time until then.
void load(double share, std::chrono::steady_clock::time_point until);

}  // namespace gauntlet::cuda
