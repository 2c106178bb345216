// Stage one of a checkpoint of device memory: a copy to page-locked memory of the host, beside what the device computes.
#pragma once

#include "real/cuda/device.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace gauntlet::cuda {

/// Copies on a stream of its own, in chunks: another copy to the host waits for one chunk, and not for all. One copy at a time.
class DeviceCopy {
 public:
  struct Part {
    const void* memory = nullptr;  // of the device
    std::size_t bytes = 0;
  };

  /// Copies the parts, one behind the other, once the device is through with what is on `computing` by now. Returns at once. `into` is
  /// page-locked and has as many bytes as the parts. Throws Error; nothing writes to `into` then.
  void begin(const std::vector<Part>& parts, std::span<std::byte> into, const Stream& computing);
  /// Later work on `computing` waits for the copy: call it before the state changes. It returns at once; without a copy nothing waits.
  void hold_back(const Stream& computing) const;
  bool complete() const { return copied_.reached(); }
  /// Returns when the copy is complete. From any thread. Throws Error.
  void wait() const;

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 24;  // 0.3 ms by PCIe 5
  void queue(const std::vector<Part>& parts, std::byte* into);

  Stream stream_;
  // The host sleeps while it waits, and their times are not asked for.
  Event computed_{cudaEventDisableTiming}, copied_{cudaEventDisableTiming | cudaEventBlockingSync};
};

/// Page-locks memory of the host while it lives, so that a device reads and writes it at full speed.
class Registered {
 public:
  explicit Registered(std::span<std::byte> memory);
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;
  ~Registered();

 private:
  void* memory_;
};

}  // namespace gauntlet::cuda
