// How many replicas a sweep is to run.
#pragma once

#include "commands/sweep/result.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// Enough for Student's t to hold roughly, and for a first guess of the spread.
inline constexpr std::uint32_t kFirstReplicas = 32;

struct SweepTerms {
  std::uint32_t replicas = 1;  // of every point; with a precision the most
  std::vector<PrecisionGoal> precision = {};
  std::optional<std::uint64_t> budget = {};  // replicas in all, at least one a point
};

}  // namespace gauntlet
