#include "real/cuda/device_copy.hpp"

#include <algorithm>
#include <stdexcept>

namespace gauntlet::cuda {

void DeviceCopy::begin(const std::vector<Part>& parts, std::span<std::byte> into, const Stream& computing) {
  std::size_t bytes = 0;
  for (const Part& part : parts) bytes += part.bytes;
  if (bytes != into.size()) throw std::logic_error("a copy has as many bytes as the state");
  computed_.record(computing);
  computed_.hold_back(stream_);
  try {
    queue(parts, into.data());
  } catch (...) {
    static_cast<void>(cudaStreamSynchronize(stream_.get()));  // what is queued still writes
    throw;
  }
}

void DeviceCopy::queue(const std::vector<Part>& parts, std::byte* into) {
  for (const Part& part : parts) {
    const auto* const from = static_cast<const std::byte*>(part.memory);
    for (std::size_t done = 0; done < part.bytes; done += std::min(kChunk, part.bytes - done))
      check(cudaMemcpyAsync(into + done, from + done, std::min(kChunk, part.bytes - done),
                            cudaMemcpyDeviceToHost, stream_.get()),
            "cudaMemcpyAsync");
    into += part.bytes;
  }
  copied_.record(stream_);
}

void DeviceCopy::hold_back(const Stream& computing) const { copied_.hold_back(computing); }

void DeviceCopy::wait() const { copied_.wait(); }

Registered::Registered(std::span<std::byte> memory) : memory_(memory.data()) {
  check(cudaHostRegister(memory_, memory.size(), cudaHostRegisterDefault), "cudaHostRegister");
}

Registered::~Registered() { cudaHostUnregister(memory_); }

}  // namespace gauntlet::cuda
