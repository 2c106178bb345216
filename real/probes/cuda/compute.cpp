// Probes that compute: products in each precision, the same bits each time, and a rate that lasts.
#include "real/probes/cuda/nvml_watch.hpp"
#include "real/probes/cuda/probes.hpp"
#include "real/probes/cuda/product_private.hpp"

#include <algorithm>
#include <chrono>

namespace gauntlet::cuda {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr std::size_t kRepetitions = 20;
constexpr std::size_t kResults = 64;  // whose bits are compared
constexpr std::size_t kSustained =
    10;  // seconds: those in which an air-cooled GPU reaches its temperature are longer
constexpr std::size_t kProductsAtOnce = 16;  // between two looks at the clock

/// Empty where this GPU has such products, and room for one.
Measured obstacle(Precision precision) {
  Measured out;
  out.unsupported = Product::why_not(precision);
  if (out.unsupported.empty()) out.inconclusive = Product::too_little_memory(precision);
  return out;
}
bool is_one(const Measured& obstacle) {
  return !obstacle.unsupported.empty() || !obstacle.inconclusive.empty();
}

Measured gemm(Precision precision) {
  if (Measured none = obstacle(precision); is_one(none)) return none;
  const Stream stream;
  const Product product(precision);
  Measured out;
  for (const double seconds : seconds_of_each(kRepetitions, stream, [&] { product.run(stream); }))
    out.values.push_back(Product::flop() / seconds / 1e12);
  if (std::string wrong = product.first_wrong(stream); !wrong.empty()) out.errors.push_back(std::move(wrong));
  return out;
}

Precision steady_precision() {
  return Product::why_not(Precision::bf16).empty() ? Precision::bf16 : Precision::fp16;
}

}  // namespace

Measured gemm_bf16() { return gemm(Precision::bf16); }
Measured gemm_fp16() { return gemm(Precision::fp16); }
Measured gemm_fp8() { return gemm(Precision::fp8); }
Measured gemm_fp32() { return gemm(Precision::fp32); }

Measured arithmetic() {
  const Precision precision = steady_precision();
  if (Measured none = obstacle(precision); is_one(none)) return none;
  const Stream stream;
  const Product product(precision);
  std::vector<std::uint64_t> digests;
  for (std::size_t i = 0; i < kResults; ++i) {
    product.run(stream);
    digests.push_back(product.digest(stream));
  }
  // Most of them are right: what differs from the commonest is wrong.
  std::uint64_t usual = 0;
  std::ptrdiff_t most = 0;
  for (const std::uint64_t each : digests)
    if (const auto count = std::count(digests.begin(), digests.end(), each); count > most) {
      most = count;
      usual = each;
    }
  Measured out;
  out.values = {static_cast<double>(
      digests.size() - static_cast<std::size_t>(std::count(digests.begin(), digests.end(), usual)))};
  if (std::string wrong = product.first_wrong(stream); !wrong.empty()) out.errors.push_back(std::move(wrong));
  return out;
}

Measured sustained() {
  const Precision precision = steady_precision();
  if (Measured none = obstacle(precision); is_one(none)) return none;
  const Stream stream;
  const Product product(precision);
  NvmlWatch watch;
  std::vector<double> rates;
  product.run(stream);  // loads its code
  stream.wait();
  const auto began = std::chrono::steady_clock::now();
  auto second = began;
  for (std::size_t done = 0; rates.size() < kSustained;) {
    for (std::size_t i = 0; i < kProductsAtOnce; ++i) product.run(stream);
    watch.look();  // while the device computes
    stream.wait();
    done += kProductsAtOnce;
    const auto now = std::chrono::steady_clock::now();
    if (now - second < std::chrono::seconds(1)) continue;
    rates.push_back(static_cast<double>(done) * Product::flop() / Seconds(now - second).count());
    done = 0;
    second = now;
  }
  Measured out;
  const double best = *std::max_element(rates.begin(), rates.end());
  for (const double rate : rates) out.values.push_back(100 * rate / best);
  out.facts = watch.facts();
  out.remark = watch.remark();
  if (std::string wrong = product.first_wrong(stream); !wrong.empty()) out.errors.push_back(std::move(wrong));
  return out;
}

}  // namespace gauntlet::cuda
