#include "real/probes/cuda/probes.hpp"

#include "real/cuda/device.hpp"
#include "real/probes/cuda/attempt_private.hpp"
#include "real/probes/cuda/shared_ranks.hpp"

#include <filesystem>
#include <system_error>

namespace gauntlet::cuda {
namespace {

const std::vector<Probe> kProbes = {
    Probe{"gemm_bf16", "TFLOP/s", "matrix products in bfloat16, each held against exact sums", gemm_bf16},
    Probe{"gemm_fp16", "TFLOP/s", "the same in half precision", gemm_fp16},
    Probe{"gemm_fp8", "TFLOP/s", "the same in 8 bits (e4m3)", gemm_fp8},
    Probe{"gemm_fp32", "TFLOP/s", "the same in single precision, without tensor cores", gemm_fp32},
    Probe{"memory_copy", "GB/s", "what device memory reads and writes when it is copied", memory_copy},
    Probe{"memory_triad", "GB/s", "the same of a = b + s c", memory_triad},
    Probe{"memory_patterns", "wrong words", "whether free device memory holds what is written to it",
          memory_patterns},
    Probe{"arithmetic", "differing results", "whether the same product gives the same bits each time",
          arithmetic},
    Probe{"sustained", "%", "the rate of each second of steady products, of the best second", sustained},
    Probe{"launch", "us", "the launch of an empty kernel and the wait for it", launch},
    Probe{"overlap", "%", "how much of a copy from the host hides behind a kernel", overlap},
    Probe{"host_copies", "GB/s", "page-locked copies to and from each memory node", nullptr, host_copies},
    Probe{"peer_copies", "GB/s", "copies from each GPU to each other one", nullptr, peer_copies},
    Probe{"shared_ranks", "wrong words", "an all-reduce between two ranks of NCCL that share the GPU",
          shared_ranks},
    Probe{"all_reduce", "GB/s", "bus bandwidth of an all-reduce between all GPUs, as nccl-tests defines it",
          nullptr, all_reduce},
    Probe{"all_to_all", "GB/s", "the same of an all-to-all", nullptr, all_to_all},
    Probe{"communicator_init", "s", "how long a communicator of all GPUs takes to begin", nullptr,
          communicator_init},
};

/// `unsupported` collects why GPUs could not be examined.
void look_at(int device, const Probe& probe, Sample& sample, std::string& unsupported) {
  const std::string name = "GPU " + std::to_string(device);
  attempt(sample, name, [&] {
    check(cudaSetDevice(device), "cudaSetDevice");
    const std::string model = model_of(device);
    const Measured measured = probe.of_device();
    for (const std::string& error : measured.errors) sample.errors.push_back(name + ": " + error);
    for (const auto& [fact, value] : measured.facts) sample.facts.emplace_back(name + " " + fact, value);
    if (!measured.unsupported.empty()) add_to_list(unsupported, name + ": " + measured.unsupported);
    if (!measured.inconclusive.empty()) add_to_list(sample.inconclusive, name + ": " + measured.inconclusive);
    if (!measured.values.empty()) sample.parts.push_back({name, model, measured.values, measured.remark});
  });
}

void look_at_all(int devices, const Probe& probe, Sample& sample) {
  std::string unsupported;
  for (int device = 0; device < devices; ++device) look_at(device, probe, sample, unsupported);
  if (sample.parts.empty() && sample.errors.empty() && sample.inconclusive.empty())
    sample.unsupported = unsupported;
  else if (!unsupported.empty())
    add_to_list(sample.inconclusive, unsupported);
}

/// CUDA shows none: there is none, or this process may not see those of the driver, or they do not answer.
void say_that_there_is_none(cudaError_t code, Sample& sample) {
  const std::string why = std::string("CUDA has no device: ") + cudaGetErrorString(code);
  std::error_code unknown;
  const std::filesystem::directory_iterator gpus("/proc/driver/nvidia/gpus", unknown);
  const bool hidden = !unknown && gpus != std::filesystem::directory_iterator();
  (hidden ? sample.inconclusive : sample.unsupported) = hidden ? why + ", and the driver has some" : why;
}

}  // namespace

const std::vector<Probe>& probes() { return kProbes; }

Sample run(const Probe& probe) {
  Sample sample;
  int devices = 0;
  const cudaError_t code = cudaGetDeviceCount(&devices);
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver || code == cudaErrorStubLibrary)
    say_that_there_is_none(code, sample);
  else if (code != cudaSuccess)
    sample.errors.push_back(std::string("cudaGetDeviceCount: ") + cudaGetErrorString(code));
  else if (probe.of_device != nullptr)
    look_at_all(devices, probe, sample);
  else
    attempt(sample, "", [&] { probe.of_paths(sample); });
  return sample;
}

}  // namespace gauntlet::cuda
