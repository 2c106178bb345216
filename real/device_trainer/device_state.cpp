#include "real/device_trainer/device_state.hpp"

#include <stdexcept>

namespace gauntlet::cuda {

void DeviceState::begin_copy(std::span<std::byte> into) {
  copy_.begin({{model_.weights(), model_.weights_bytes()}, {model_.momentum(), model_.weights_bytes()}}, into,
              computing_);
}

std::optional<Problem> DeviceState::wait() {
  try {
    check(cudaSetDevice(device_), "cudaSetDevice");
    copy_.wait();
    return std::nullopt;
  } catch (const Error& error) {
    return Problem{.what = "the copy of the state", .why = std::string("failed: ") + error.what()};
  }
}

DeviceHostMemory::Block DeviceHostMemory::allocate(std::size_t bytes) {
  if (registered_) throw std::logic_error("this memory has one block");
  Block block = memory_.allocate(bytes);
  try {
    registered_ = std::make_unique<Registered>(block.bytes);
    block.problem.reset();  // the driver keeps these pages in memory, where mlock(2) may not
  } catch (...) {
    memory_.release(block.bytes);
    throw;
  }
  return block;
}

void DeviceHostMemory::release(std::span<std::byte> bytes) {
  registered_.reset();
  memory_.release(bytes);
}

}  // namespace gauntlet::cuda
