// What a rank is told when it is started.
#pragma once

#include "core/layout.hpp"
#include "core/problem.hpp"
#include "core/time.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

struct TrainerOptions {
  std::uint32_t rank = 0;
  std::uint32_t pp = 1, dp = 1;
  std::uint64_t seed = 0;
  std::int64_t steps = 1;
  std::string run_directory;  // of the ranks' sockets; shared by the ranks of one start, and nobody else's
  std::string checkpoint_directory;   // shared by the ranks of all starts of this job
  std::int64_t checkpoint_every = 0;  // steps; 0 for never
  Duration step_time{};               // at least so long a step; the computation that a GPU would do
  Duration collective_timeout{};      // above zero

  Layout layout() const { return {.tp = 1, .pp = pp, .dp = dp}; }
};

inline constexpr std::uint32_t kMostRanks = 4096;

/// What is wrong with the options as a whole.
std::optional<Problem> check(const TrainerOptions& options);

}  // namespace gauntlet
