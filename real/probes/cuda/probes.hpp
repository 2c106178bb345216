// The CUDA probes, each of which examines one GPU, or the paths between all of them.
#pragma once

#include "real/probes/cuda/measured.hpp"
#include "real/probes/cuda/sample.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet::cuda {

// Of the current device. Each throws what device.hpp has for failures.
Measured gemm_bf16();
Measured gemm_fp16();
Measured gemm_fp8();
Measured gemm_fp32();
Measured memory_copy();
Measured memory_triad();
Measured memory_patterns();
Measured arithmetic();
Measured sustained();
Measured launch();
Measured overlap();

// Of several paths, each a part of its own.
void host_copies(Sample& sample);
void peer_copies(Sample& sample);

// Of all GPUs together.
void all_reduce(Sample& sample);
void all_to_all(Sample& sample);
void communicator_init(Sample& sample);

struct Probe {
  std::string_view name, unit, about;
  Measured (*of_device)() = nullptr;  // or
  void (*of_paths)(Sample&) = nullptr;
};

const std::vector<Probe>& probes();
/// On every GPU that the driver shows. Never throws: what keeps the probe from looking is said in the sample.
Sample run(const Probe& probe);

}  // namespace gauntlet::cuda
