// What checkpoints cost: sizes from the model's parameters, times from bandwidths, by tier.
#pragma once

#include "core/quantity.hpp"
#include "core/tier.hpp"
#include "core/time.hpp"
#include "models/world/world.hpp"

#include <array>

namespace gauntlet {

/// All of the state that training needs to go on, each part of it once: bytes per parameter x parameters.
Bytes checkpoint_size(const World& world);

/// What all ranks together read from storage to get their state back: each part once, or once by each rank that needs it.
Bytes bytes_to_read(const World& world, Restore restore);

struct TierCosts {
  Duration stall{};    // training is blocked
  Duration persist{};  // from the end of the stall until the tier holds all of it
  std::array<Duration, 2> load =
      {};                    // by Restore: until every rank has its state again; alike but for storage
  Duration per_increment{};  // so much longer for each increment since the last whole checkpoint
  double increment =
      1;  // share of the state that `stall` and `persist` are for; a whole one takes in proportion
  Duration whole_stall() const { return whole(stall); }
  Duration whole_persist() const { return whole(persist); }
  Duration whole(Duration part) const {
    return increment == 1 ? part : from_seconds(to_seconds(part) / increment);
  }
  friend bool operator==(const TierCosts&, const TierCosts&) = default;
};

struct CheckpointCosts {
  std::array<TierCosts, kTiers> tiers = {};  // by Tier
  const TierCosts& operator[](Tier tier) const { return tiers[static_cast<std::size_t>(tier)]; }
  friend bool operator==(const CheckpointCosts&, const CheckpointCosts&) = default;
};

/// Of one checkpoint on healthy storage that nothing else uses. What was measured wins where it is not zero; what is then
/// left costs nothing when the storage is `free`, and otherwise
///
///   memory    stall = each GPU's share of the size / pcie, persist = 0, load = the same
///   peers     stall as memory, persist = (copies - 1) x a host's share of the size / its NICs, load = a host's share / its NICs
///   storage   synchronous: stall = size / write, persist = 0; two_stage: stall as memory, persist = size / write
///             load = bytes_to_read / read, and for one reader its group's broadcast
///
/// Of a tier in memory whose checkpoints are increments, `stall` and `persist` are that share of what a whole one takes, and
/// each increment is loaded and applied after the last whole one: one that went on to a tier without increments, or what was
/// loaded at a start.
///
/// where write and read are the least of what the total (less other tenants), all hosts and all ranks allow. A reader that
/// reads alone for its group counts as one client. GPUs copy at once, and each holds one share of the state.
CheckpointCosts checkpoint_costs(const World& world);

}  // namespace gauntlet
