// The state of the model as the checkpoint library copies it: from the device, while the next step computes.
#pragma once

#include "real/checkpoint/writer.hpp"
#include "real/cuda/device_copy.hpp"
#include "real/device_trainer/model.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

namespace gauntlet::cuda {

class DeviceState final : public StateSource {
 public:
  DeviceState(const Model& model, const Stream& computing, int device)
      : model_(model), computing_(computing), device_(device) {}

  void begin_copy(std::span<std::byte> into) override;
  std::optional<Problem> wait() override;
  /// Before the state changes.
  void hold_back() const { copy_.hold_back(computing_); }

 private:
  const Model& model_;
  const Stream& computing_;
  int device_;
  DeviceCopy copy_;
};

/// Memory of the host that the device writes to directly: one block.
class DeviceHostMemory final : public HostMemory {
 public:
  Block allocate(std::size_t bytes) override;
  void release(std::span<std::byte> bytes) override;

 private:
  LockedMemory memory_;
  std::unique_ptr<Registered> registered_;
};

}  // namespace gauntlet::cuda
