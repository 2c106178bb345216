// Published training jobs, as far as the step model describes them.
#pragma once

#include "models/world/world.hpp"

#include <cstdint>

namespace gauntlet {

// A100 80 GB SXM: https://www.nvidia.com/en-us/data-center/a100/ with one 200 Gb/s NIC per GPU, as MegaScale
// has (https://arxiv.org/abs/2402.15627, section 3.6). PCIe: generation 4 x16: 25 GB/s assumed.
inline Hardware a100() {
  return {
      .name = "A100-80G",
      .peak = {312e12},
      .peak_fp8 = {},
      .multiprocessors =
          108,  // https://images.nvidia.com/aem-dam/en-zz/Solutions/data-center/nvidia-ampere-architecture-whitepaper.pdf
      .memory = {80e9},
      .memory_bandwidth = {2039e9},
      .nvlink = {600e9},
      .nic = {25e9},
      .pcie = {25e9}};
}

// H100 SXM: https://www.nvidia.com/en-us/data-center/h100/ with one 400 Gb/s NIC per GPU, as Llama 3 has
// (https://arxiv.org/abs/2407.21783, section 3.3.1). PCIe: generation 5 x16: 50 GB/s assumed.
inline Hardware h100() {
  return {.name = "H100",
          .peak = {989e12},
          .peak_fp8 = {1979e12},
          .multiprocessors = 132,  // https://resources.nvidia.com/en-us-tensor-core/gtc22-whitepaper-hopper
          .memory = {80e9},
          .memory_bandwidth = {3350e9},
          .nvlink = {900e9},
          .nic = {50e9},
          .pcie = {50e9}};
}

/// Llama 3 405B on 128 x dp GPUs with 16M tokens a batch (https://arxiv.org/abs/2407.21783, tables 3 and 4).
/// Virtual stages are not published: 430 and 400 TFLOP/s at 32 and 16 micro-batches ask for 6 or more, and 8
/// layers a stage divide into 8.
inline World llama3(std::uint32_t dp) {
  World world;
  world.hardware = h100();
  world.job.model = {.name = "llama3-405b",
                     .parameters = 405e9,
                     .layers = 126,
                     .hidden = 16384,
                     .heads = 128,
                     .kv_heads = 8,
                     .ffn_hidden = 53248,
                     .gated_mlp = true,
                     .vocabulary = 128256,
                     .sequence = 8192};
  world.job.layout = {.tp = 8, .pp = 16, .dp = dp, .virtual_stages = 8};
  world.job.global_batch = 2048;
  world.job.calibration = *find_calibration("llama3");
  return world;
}

/// MegaScale's 175B on 64 x dp GPUs (https://arxiv.org/abs/2402.15627, table 2). Its micro-batch is not
/// published.
inline World megascale(std::uint32_t dp) {
  World world;
  world.hardware = a100();
  world.job.model = {.name = "megascale-175b",
                     .parameters = 175e9,
                     .layers = 96,
                     .hidden = 12288,
                     .heads = 128,
                     .kv_heads = 128,
                     .ffn_hidden = 49152,
                     .vocabulary = 64000,
                     .sequence = 2048};
  world.job.layout = {.tp = 8, .pp = 8, .dp = dp, .virtual_stages = 6};
  world.job.global_batch = 6144;
  world.job.training.overlap_tensor = true;
  world.job.calibration = *find_calibration("megascale");
  return world;
}

}  // namespace gauntlet
