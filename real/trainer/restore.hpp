// How the ranks of a start find the state with which training goes on. All ranks take part, each at the same time.
//
// Rank 0 names the newest checkpoint. If every rank's copy of it is in memory, each rank loads its own: from its host, or from another host that holds it too.
// Otherwise readers read the newest one in storage that has a manifest, and verify it: one rank of each data-parallel group, which then broadcasts, or every
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
