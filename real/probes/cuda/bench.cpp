// The probes beside bare loops of the same work, in one run: a table of ratios, and 1 where a goal is missed.
#include "real/probes/cuda/device_private.hpp"
#include "real/probes/cuda/probes.hpp"
#include "real/probes/cuda/product_private.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kRepetitions = 20;
constexpr std::size_t kBytes = std::size_t{1} << 30, kCopied = std::size_t{1} << 28;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

struct DestroysCublas {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};

void expect_success(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + " fails");
}

/// TFLOP/s of cublasGemmEx, as its users call it.
double bare_product() {
  constexpr int kRows = static_cast<int>(Product::kRows);
  constexpr std::size_t kElements = Product::kRows * Product::kRows;
  const auto a = device_memory<std::uint16_t>(kElements), b = device_memory<std::uint16_t>(kElements);
  const auto c = device_memory<float>(kElements);
  // A pattern of bits with few of them set, as the probe's: what a product takes depends on its data.
  check(cudaMemset(a.get(), 0x3e, kElements * 2), "cudaMemset");
  check(cudaMemset(b.get(), 0x3e, kElements * 2), "cudaMemset");
  const Stream stream;
  cublasHandle_t made = nullptr;
  expect_success(cublasCreate(&made), "cublasCreate");
  const std::unique_ptr<std::remove_pointer_t<cublasHandle_t>, DestroysCublas> handle(made);
  expect_success(cublasSetStream(made, stream.get()), "cublasSetStream");
  const float one = 1, zero = 0;
  return Product::flop() / 1e12 / median(seconds_of_each(kRepetitions, stream, [&] {
           expect_success(cublasGemmEx(made, CUBLAS_OP_T, CUBLAS_OP_N, kRows, kRows, kRows, &one, a.get(),
                                       CUDA_R_16BF, kRows, b.get(), CUDA_R_16BF, kRows, &zero, c.get(),
                                       CUDA_R_32F, kRows, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                          "cublasGemmEx");
         }));
}

double bare_memory_copy() {
  const auto from = device_memory<std::byte>(kBytes), to = device_memory<std::byte>(kBytes);
  const Stream stream;
  return 2e-9 * static_cast<double>(kBytes) / median(seconds_of_each(kRepetitions, stream, [&] {
           check(cudaMemcpyAsync(to.get(), from.get(), kBytes, cudaMemcpyDeviceToDevice, stream.get()),
                 "cudaMemcpyAsync");
         }));
}

double bare_host_copy(cudaMemcpyKind way) {
  const auto device = device_memory<std::byte>(kCopied);
  const HostMemory host = host_memory(kCopied);
  const Stream stream;
  const bool to_device = way == cudaMemcpyHostToDevice;
  void* const to = to_device ? device.get() : host.get();
  const void* const from = to_device ? host.get() : device.get();
  return 1e-9 * static_cast<double>(kCopied) / median(seconds_of_each(kRepetitions, stream, [&] {
           check(cudaMemcpyAsync(to, from, kCopied, way, stream.get()), "cudaMemcpyAsync");
         }));
}

/// The best of all memory nodes, one way: "to it" or "from it".
double best_host_copy(const char* way) {
  double best = 0;
  for (const Part& part : host_copies().parts)
    if (part.kind.ends_with(way) && (part.part.ends_with("GPU 0") || part.part.starts_with("GPU 0")))
      best = std::max(best, median(part.values));
  return best;
}

bool compare(const char* what, const char* unit, double probe, double bare, double goal) {
  std::printf("%-28s %10.1f %10.1f %-8s %6.3f  goal %.2f\n", what, probe, bare, unit, probe / bare, goal);
  return probe >= goal * bare;
}

bool compare_all() {
  check(cudaSetDevice(0), "cudaSetDevice");
  std::printf("%-28s %10s %10s %-8s %6s\n", "", "probe", "bare loop", "", "ratio");
  bool held = compare("product in bfloat16", "TFLOP/s", median(gemm_bf16().values), bare_product(), 0.95);
  held &=
      compare("copy within device memory", "GB/s", median(memory_copy().values), bare_memory_copy(), 0.90);
  held &= compare("copy from the host", "GB/s", best_host_copy("to it"),
                  bare_host_copy(cudaMemcpyHostToDevice), 0.95);
  held &= compare("copy to the host", "GB/s", best_host_copy("from it"),
                  bare_host_copy(cudaMemcpyDeviceToHost), 0.95);
  return held;
}

}  // namespace
}  // namespace gauntlet::cuda

int main() {
  try {
    return gauntlet::cuda::compare_all() ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gauntlet-cuda-bench: %s\n", error.what());
    return 1;
  }
}
