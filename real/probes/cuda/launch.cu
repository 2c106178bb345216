// Probes of what a host asks of its GPU: how long a launch takes, and whether copies hide behind kernels.
#include "real/cuda/device.hpp"
#include "real/probes/cuda/probes.hpp"
#include "real/probes/cuda/product_private.hpp"

#include <algorithm>
#include <chrono>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kGroups = 20, kLaunchesOfGroup = 50;
constexpr std::size_t kCopied = std::size_t{1} << 28;
constexpr double kLongEnough = 0.1;  // seconds of each of the two that overlap
constexpr std::size_t kRepetitions = 5;

__global__ void nothing() {}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

Measured launch() {
  const Stream stream;
  nothing<<<1, 1, 0, stream.get()>>>();
  stream.wait();
  Measured out;
  for (std::size_t group = 0; group < kGroups; ++group) {
    std::vector<double> each;
    for (std::size_t i = 0; i < kLaunchesOfGroup; ++i) {
      const auto began = std::chrono::steady_clock::now();
      nothing<<<1, 1, 0, stream.get()>>>();
      stream.wait();
      each.push_back(1e6 * seconds_since(began));
    }
    out.values.push_back(median(each));
  }
  check(cudaGetLastError(), "an empty kernel");
  return out;
}

Measured overlap() {
  Measured out;
  out.inconclusive = Product::too_little_memory(Precision::fp16);
  if (!out.inconclusive.empty()) return out;
  const Stream computes, copies;
  const Product product(Precision::fp16);
  const PinnedMemory host = pinned_memory(kCopied);
  const auto memory = device_memory<std::byte>(kCopied);
  const auto copy = [&] {
    check(cudaMemcpyAsync(memory.get(), host.get(), kCopied, cudaMemcpyHostToDevice, copies.get()),
          "cudaMemcpyAsync");
  };
  // As many of each as take about as long.
  const double of_product = median(seconds_of_each(kRepetitions, computes, [&] { product.run(computes); }));
  const double of_copy = median(seconds_of_each(kRepetitions, copies, copy));
  const auto products = static_cast<std::size_t>(kLongEnough / of_product) + 1;
  const auto copied = static_cast<std::size_t>(kLongEnough / of_copy) + 1;
  const auto time = [&](std::size_t of_products, std::size_t of_copies) {
    const auto began = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < of_copies; ++i) copy();
    for (std::size_t i = 0; i < of_products; ++i) product.run(computes);
    copies.wait();
    computes.wait();
    return seconds_since(began);
  };
  for (std::size_t i = 0; i < kRepetitions; ++i) {
    const double alone = time(products, 0), moved = time(0, copied), together = time(products, copied);
    out.values.push_back(std::clamp(100 * (alone + moved - together) / std::min(alone, moved), 0.0, 100.0));
  }
  return out;
}

}  // namespace gauntlet::cuda
