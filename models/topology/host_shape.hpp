// Which NICs sit next to which GPUs of a host.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gauntlet {

/// GPUs and NICs of one host, counted within it. A GPU has a PCIe link to the NICs next to it: one that it may share with
/// other GPUs, or several where a host has more NICs than GPUs.
struct HostShape {
  std::uint32_t gpus = 1, nics = 1;

  constexpr std::uint32_t first_nic(std::uint32_t gpu) const { return gpu * nics / gpus; }
  /// One beyond the last.
  constexpr std::uint32_t end_of_nics(std::uint32_t gpu) const {
    return std::max(first_nic(gpu) + 1, first_nic(gpu + 1));
  }
  constexpr bool adjacent(std::uint32_t gpu, std::uint32_t nic) const {
    return nic >= first_nic(gpu) && nic < end_of_nics(gpu);
  }
  /// The first GPU next to a NIC.
  constexpr std::uint32_t gpu_of_nic(std::uint32_t nic) const {
    std::uint32_t gpu = 0;
    while (gpu + 1 < gpus && !adjacent(gpu, nic)) ++gpu;
    return gpu;
  }
};

}  // namespace gauntlet
