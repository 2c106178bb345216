// The data of the regression: made up, and the same whenever the same sample of the same step is asked for.
#pragma once

#include <cstdint>
#include <vector>

namespace gauntlet {

inline constexpr std::size_t kInputs = 8;  // of a row
inline constexpr std::size_t kRows = 8;    // of a sample, as the tokens of a sequence

struct Samples {
  std::vector<double> inputs;   // rows x kInputs, in (-1, 1)
  std::vector<double> targets;  // rows
};

/// The samples from `first` on of a step's global batch. Each is from the stream (seed, "trainer.sample", step, its number), whichever
/// rank asks for it.
Samples make_samples(std::uint64_t seed, std::int64_t step, std::uint32_t global_batch, std::uint32_t first,
                     std::uint32_t count);

}  // namespace gauntlet
