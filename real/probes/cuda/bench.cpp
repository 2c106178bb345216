// The probes beside bare loops of the same work, in one run: a table of ratios, and 1 where a goal is missed.
#include "real/cuda/device.hpp"
#include "real/cuda/device_copy.hpp"
#include "real/cuda/event_ring.hpp"
#include "real/probes/cuda/probes.hpp"
#include "real/probes/cuda/product_private.hpp"

#include <cublas_v2.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kRepetitions = 20;
constexpr std::size_t kBytes = std::size_t{1} << 30, kCopied = std::size_t{1} << 28;

struct DestroysCublas {
  void operator()(cublasHandle_t handle) const { cublasDestroy(handle); }
};

void expect_success(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(std::string(call) + " fails");
}

/// Elements in bfloat16 from -1 to 1.
void fill_with_eighths(std::uint16_t* matrix, std::uint64_t state) {
  std::vector<std::uint16_t> elements(Product::kRows * Product::kRows);
  for (std::uint16_t& each : elements) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
    const float value = static_cast<float>(static_cast<int>((state >> 33) % 17) - 8) / 8.0F;
    each = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  }
  check(cudaMemcpy(matrix, elements.data(), elements.size() * sizeof elements[0], cudaMemcpyHostToDevice),
        "cudaMemcpy");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

/// TFLOP/s of cublasGemmEx, as its users call it.
double bare_product() {
  constexpr int kRows = static_cast<int>(Product::kRows);
  constexpr std::size_t kElements = Product::kRows * Product::kRows;
  const auto a = device_memory<std::uint16_t>(kElements), b = device_memory<std::uint16_t>(kElements);
  const auto c = device_memory<float>(kElements);
  // As the probe's: what a product takes depends on its data.
  fill_with_eighths(a.get(), 1);
  fill_with_eighths(b.get(), 2);
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
  const PinnedMemory host = pinned_memory(kCopied);
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
  Sample sample;
  host_copies(sample);
  for (const Part& part : sample.parts)
    if (part.kind.ends_with(way) && (part.part.ends_with("GPU 0") || part.part.starts_with("GPU 0")))
      best = std::max(best, median(part.values));
  return best;
}

/// Stage one of a checkpoint: a copy as a trainer has it made.
double staged_copy() {
  const auto device = device_memory<std::byte>(kCopied);
  const PinnedMemory host = pinned_memory(kCopied);
  const Stream computing;
  DeviceCopy copy;
  return 1e-9 * static_cast<double>(kCopied) / median(seconds_of_each(kRepetitions, computing, [&] {
           copy.begin({{device.get(), kCopied}}, {host.get(), kCopied}, computing);
           copy.hold_back(computing);
         }));
}

/// TFLOP/s of products, beside copies of stage one without a pause between them.
double product_beside(bool copies) {
  const Product product(Precision::bf16);
  const auto device = device_memory<std::byte>(kCopied);
  const PinnedMemory host = pinned_memory(kCopied);
  const Stream computing, nothing;
  DeviceCopy copy;
  constexpr int kCopies = 200;  // a second and more: they last longer than the products beside them
  const auto queue_copies = [&] {
    for (int i = 0; copies && i < kCopies; ++i)
      copy.begin({{device.get(), kCopied}}, {host.get(), kCopied}, nothing);
  };
  std::vector<double> seconds;
  for (int i = 0; i < 3; ++i) {
    queue_copies();
    const auto each = seconds_of_each(kRepetitions, computing, [&] { product.run(computing); });
    if (copies && copy.complete())
      throw std::runtime_error("the copies ended before the products beside them");
    seconds.insert(seconds.end(), each.begin(), each.end());
    copy.wait();
  }
  return Product::flop() / 1e12 / median(seconds);
}

/// Steps of a second, each of about 100 ms on the device, with four timed segments or none.
double steps_with_segments(bool timed) {
  const Product product(Precision::bf16);
  const Stream computing;
  EventRing ring;
  std::int64_t step = 0;
  constexpr int kProducts = 16;  // of a segment
  const auto seconds = seconds_of_each(kRepetitions, computing, [&] {
    ++step;
    for (const char* const name : {"forward", "backward", "collective", "optimizer"}) {
      if (timed) ring.begin(step, name, computing);
      for (int i = 0; i < kProducts; ++i) product.run(computing);
      if (timed) ring.end(computing);
    }
    if (timed) ring.collect(step);
  });
  return 1 / median(seconds);
}

/// Each goes first in turn: a device is cold, and grows warm.
template <class Probe, class Bare>
bool compare(const char* what, const char* unit, double goal, const Probe& run_probe, const Bare& run_bare) {
  std::vector<double> probes, bares;
  for (int i = 0; i < 4; ++i) {
    if (i % 2 == 0) probes.push_back(run_probe());
    bares.push_back(run_bare());
    if (i % 2 == 1) probes.push_back(run_probe());
  }
  const double probe = median(probes), bare = median(bares);
  std::printf("%-28s %10.1f %10.1f %-8s %6.4f  goal %.3f\n", what, probe, bare, unit, probe / bare, goal);
  return probe >= goal * bare;
}

bool compare_all() {
  check(cudaSetDevice(0), "cudaSetDevice");
  std::printf("%-28s %10s %10s %-8s %6s\n", "", "probe", "bare loop", "", "ratio");
  bool held = compare(
      "product in bfloat16", "TFLOP/s", 0.95, [] { return median(gemm_bf16().values); }, bare_product);
  held &= compare(
      "copy within device memory", "GB/s", 0.90, [] { return median(memory_copy().values); },
      bare_memory_copy);
  held &= compare(
      "copy from the host", "GB/s", 0.95, [] { return best_host_copy("to it"); },
      [] { return bare_host_copy(cudaMemcpyHostToDevice); });
  held &= compare(
      "copy to the host", "GB/s", 0.95, [] { return best_host_copy("from it"); },
      [] { return bare_host_copy(cudaMemcpyDeviceToHost); });
  held &= compare("stage one of a checkpoint", "GB/s", 0.90, staged_copy,
                  [] { return bare_host_copy(cudaMemcpyDeviceToHost); });
  // A copy to the host reads device memory, which computing shares: that share, and 1% more.
  const double share = bare_host_copy(cudaMemcpyDeviceToHost) / bare_memory_copy();
  held &= compare(
      "product beside stage one", "TFLOP/s", 0.99 - share, [] { return product_beside(true); },
      [] { return product_beside(false); });
  held &= compare(
      "steps with timed segments", "/s", 0.999, [] { return steps_with_segments(true); },
      [] { return steps_with_segments(false); });
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
