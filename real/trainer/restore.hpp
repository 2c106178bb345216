// How the ranks of a start find the state with which training goes on. All ranks take part, each at the same time.
//
// First stage two of the start before is finished: a rank that was killed may have left a complete copy that was not written yet. Then rank 0 names
// the newest checkpoint that has a manifest, and its readers read and verify it: one rank of each data-parallel group, which then broadcasts, or every
// rank. If one of them finds damage, rank 0 sets the checkpoint aside and names the next older one.
#pragma once

#include "real/checkpoint/tier.hpp"
#include "real/trainer/options.hpp"
#include "real/trainer/peers.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace gauntlet {

struct RestoredState {
  std::int64_t step = 0;  // after which training goes on; 0: from the beginning, without a state
  std::string state;
};

using WarnOfCheckpoint = std::function<void(std::string_view pattern, const std::string& text)>;

/// Throws Failure and CollectiveTimedOut.
RestoredState restore(const TrainerOptions& options, const CheckpointTier& tier, Peers& peers,
                      std::size_t state_bytes, const WarnOfCheckpoint& warn);

}  // namespace gauntlet
