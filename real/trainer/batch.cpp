#include "real/trainer/batch.hpp"

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

MicroBatch make_batch(std::uint64_t seed, std::uint32_t replica, std::int64_t step,
                      std::uint32_t micro_batch) {
  Stream stream({.study = seed, .replica = replica}, stream_name("trainer.batch"),
                static_cast<std::uint64_t>(step) * kMicroBatches + micro_batch);
  MicroBatch batch;
  batch.inputs.resize(kSamples * kInputs);
  for (double& input : batch.inputs) input = 2 * stream.uniform() - 1;
  for (std::size_t sample = 0; sample < kSamples; ++sample)
    batch.targets.push_back(target_of(std::span(batch.inputs).subspan(sample * kInputs, kInputs)));
  return batch;
}

}  // namespace gauntlet
