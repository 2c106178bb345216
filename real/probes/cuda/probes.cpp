#include "real/probes/cuda/probes.hpp"

#include "real/probes/cuda/device_private.hpp"

#include <exception>

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
};

std::string model_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties.name;
}

/// An error of the runtime that says nothing of the GPU's health.
bool is_of_software(cudaError_t code) {
  return code == cudaErrorMemoryAllocation || code == cudaErrorNoKernelImageForDevice ||
         code == cudaErrorUnsupportedPtxVersion || code == cudaErrorDevicesUnavailable ||
         code == cudaErrorNotSupported || code == cudaErrorNotPermitted;
}

void add(std::string& list, const std::string& more) { list += (list.empty() ? "" : "; ") + more; }

/// `unsupported` collects why GPUs could not be examined.
void look_at(int device, const Probe& probe, Sample& sample, std::string& unsupported) {
  const std::string name = "GPU " + std::to_string(device);
  try {
    check(cudaSetDevice(device), "cudaSetDevice");
    const std::string model = model_of(device);
    const Measured measured = probe.of_device();
    for (const std::string& error : measured.errors) sample.errors.push_back(name + ": " + error);
    for (const auto& [fact, value] : measured.facts) sample.facts.emplace_back(name + " " + fact, value);
    if (!measured.unsupported.empty())
      add(unsupported, name + ": " + measured.unsupported);
    else if (!measured.values.empty())
      sample.parts.push_back({name, model, measured.values, measured.remark});
  } catch (const Error& error) {
    if (is_of_software(error.code()))
      add(sample.inconclusive, name + ": " + error.what());
    else
      sample.errors.push_back(name + ": " + error.what());
    cudaDeviceReset();  // its context is of no further use
  } catch (const std::exception& error) {
    sample.errors.push_back(name + ": " + error.what());
    cudaDeviceReset();
  }
}

Sample of_all_devices(const Probe& probe, int devices) {
  Sample sample;
  std::string unsupported;
  for (int device = 0; device < devices; ++device) look_at(device, probe, sample, unsupported);
  if (sample.parts.empty() && sample.errors.empty() && sample.inconclusive.empty())
    sample.unsupported = unsupported;
  else if (!unsupported.empty())
    add(sample.inconclusive, unsupported);
  return sample;
}

Sample unsupported_sample(const std::string& why) {
  Sample sample;
  sample.unsupported = why;
  return sample;
}

}  // namespace

const std::vector<Probe>& probes() { return kProbes; }

Sample run(const Probe& probe) {
  int devices = 0;
  if (const cudaError_t code = cudaGetDeviceCount(&devices); code != cudaSuccess)
    return unsupported_sample(std::string("CUDA has no device: ") + cudaGetErrorString(code));
  if (devices == 0) return unsupported_sample("CUDA has no device");
  if (probe.of_device != nullptr) return of_all_devices(probe, devices);
  try {
    return probe.of_paths();
  } catch (const std::exception& error) {
    Sample sample;
    sample.errors.emplace_back(error.what());
    return sample;
  }
}

}  // namespace gauntlet::cuda
