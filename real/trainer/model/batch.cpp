#include "real/trainer/model/batch.hpp"

#include "core/random/stream.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace gauntlet {
namespace {

/// What is to be learnt: no straight line, and nothing that a ReLU network has exactly.
double target_of(std::span<const double> x) {
  return std::abs(x[0]) + x[1] * x[2] - std::max(0.0, x[3] + x[4]);
}

}  // namespace

Samples make_samples(std::uint64_t seed, std::int64_t step, std::uint32_t global_batch, std::uint32_t first,
                     std::uint32_t count) {
  Samples samples;
  samples.inputs.reserve(count * kRows * kInputs);
  for (std::uint32_t number = first; number < first + count; ++number) {
    Stream stream({.study = seed, .replica = 0}, stream_name("trainer.sample"),
                  static_cast<std::uint64_t>(step) * global_batch + number);
    for (std::size_t i = 0; i < kRows * kInputs; ++i) samples.inputs.push_back(2 * stream.uniform() - 1);
  }
  for (std::size_t row = 0; row < count * kRows; ++row)
    samples.targets.push_back(target_of(std::span(samples.inputs).subspan(row * kInputs, kInputs)));
  return samples;
}

}  // namespace gauntlet
