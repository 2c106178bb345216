// Numbers of GPUs as a person writes them: "1k:128k:log8", "1024,16k".
#pragma once

#include "core/problem.hpp"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gauntlet {

struct GpuCounts {
  std::vector<std::uint64_t> counts;  // from small to large, each once
  bool range = false;                 // given as low:high
  std::optional<Problem> problem;     // then there are no counts
};

/// A list, or low:high[:logN|:linN] with both ends; without a spacing as --vary has it: kRangeValues values, evenly spaced
/// on a log axis where the ends are a factor of ten apart. `k` is 1024. `option`: for messages.
GpuCounts parse_gpu_counts(std::string_view text, std::string_view option);

}  // namespace gauntlet
