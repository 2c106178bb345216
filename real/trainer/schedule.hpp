// The order in which a pipeline stage does its micro-batches: one forward, one backward (1F1B: Narayanan et al., "PipeDream", SOSP 2019, and
// without its staleness in "Efficient Large-Scale Language Model Training on GPU Clusters Using Megatron-LM", SC 2021, fig. 4).
#pragma once

#include <algorithm>
#include <cstdint>

namespace gauntlet {

/// Micro-batches that a stage forwards before its first backward. Then it alternates, so that no stage keeps more passes than there are
/// stages behind it and itself.
constexpr std::uint32_t warm_up(std::uint32_t stage, std::uint32_t stages, std::uint32_t micro_batches) {
  return std::min(stages - 1 - stage, micro_batches);
}

/// The forward and backward times of a micro-batch together, as a share of a step: the last stage ends its last one when so many have passed
/// one after the other.
constexpr double micro_batch_share(std::uint32_t stages, std::uint32_t micro_batches) {
  return 1.0 / (micro_batches + stages - 1);
}

}  // namespace gauntlet
