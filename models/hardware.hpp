// Hardware catalogue entries: plain data that config fills from scenarios/catalog/hardware/.
#pragma once

#include "core/quantity.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

/// One host type. Per-GPU figures are of the SXM/HGX form with 8 GPUs unless the entry says otherwise.
struct Hardware {
  std::string name;
  std::uint32_t gpus_per_host = 8;
  std::uint32_t nics_per_host = 8;
  FlopRate peak;                        // dense bf16/fp16 per GPU
  FlopRate peak_fp8;                    // dense; zero: the GPU has none
  std::uint32_t multiprocessors = 108;  // of one GPU, for wave quantisation
  Bytes memory;                         // per GPU
  Bandwidth memory_bandwidth;           // per GPU
  Bandwidth nvlink;                     // per GPU, both directions together, as vendors state it
  Bandwidth nic;                        // per NIC, each direction
  Bandwidth pcie;                       // device to pinned host memory, per GPU, each direction
};

}  // namespace gauntlet
