// The newest whole checkpoint of several tiers, such as a tmpfs before a shared file system.
#pragma once

#include "real/checkpoint/tier.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct NewestCheckpoint {
  std::optional<Shard> shard;        // nothing where no tier holds a whole checkpoint
  std::vector<Problem> passed_over;  // why others were not loaded
  /// Something cannot be read that another try may read: nothing was loaded, and nothing may be removed.
  std::optional<Problem> problem;
};

/// Tries checkpoints from the newest to the oldest, and of one step in the order of the tiers, until the shard of that rank proves whole. For a
/// job of one rank: the ranks of another one agree on each step that they try.
NewestCheckpoint load_newest(const std::vector<const CheckpointTier*>& tiers, std::uint32_t rank,
                             std::string memory = {});

}  // namespace gauntlet
