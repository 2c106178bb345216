// Clock, power and temperature of the current device while a probe loads it, by NVIDIA's management library.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet::cuda {

/// Says nothing where the library is not there, or does not know the device.
class NvmlWatch {
 public:
  NvmlWatch();
  NvmlWatch(const NvmlWatch&) = delete;
  NvmlWatch& operator=(const NvmlWatch&) = delete;
  ~NvmlWatch();

  void look();
  /// "lowest clock": "1755 MHz"; and so on.
  std::vector<std::pair<std::string, std::string>> facts() const;
  /// "the GPU protected itself: heat"; empty where it did not.
  std::string remark() const;

 private:
  void* library_ = nullptr;
  void* device_ = nullptr;
  bool looked_ = false;
  std::uint32_t lowest_clock_ = 0, most_power_ = 0, highest_temperature_ = 0;
  std::uint64_t reasons_ = 0;
};

}  // namespace gauntlet::cuda
