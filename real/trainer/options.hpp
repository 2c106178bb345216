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
  std::uint32_t tp = 1, pp = 1, dp = 1;
  std::uint32_t global_batch = 4, micro_batch = 1;  // samples
  std::uint64_t seed = 0;
  std::int64_t steps = 1;
  std::string run_directory;  // of the ranks' sockets; shared by the ranks of one start, and nobody else's
  std::string checkpoint_directory;   // shared by the ranks of all starts of this job
  std::int64_t checkpoint_every = 0;  // steps; 0 for never
  Duration step_time{};               // of an undisturbed step: what a GPU would take
  Duration collective_timeout{};      // above zero

  Layout layout() const { return {.tp = tp, .pp = pp, .dp = dp}; }
  std::uint32_t micro_batches() const { return global_batch / (dp * micro_batch); }  // of a replica
};

inline constexpr std::uint32_t kMostRanks = 4096;

/// What is wrong with the options as a whole.
std::optional<Problem> check(const TrainerOptions& options);

}  // namespace gauntlet
