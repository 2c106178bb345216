// The data of the regression: made up, and the same whenever the same micro-batch is asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace gauntlet {

inline constexpr std::size_t kInputs = 8;          // of a sample
inline constexpr std::size_t kSamples = 8;         // of a micro-batch
inline constexpr std::uint32_t kMicroBatches = 4;  // of a replica's step

struct MicroBatch {
  std::vector<double> inputs;   // kSamples x kInputs, in (-1, 1)
  std::vector<double> targets;  // kSamples
};

/// From the stream (seed, replica, "trainer.batch", step * kMicroBatches + micro_batch).
MicroBatch make_batch(std::uint64_t seed, std::uint32_t replica, std::int64_t step,
                      std::uint32_t micro_batch);

}  // namespace gauntlet
