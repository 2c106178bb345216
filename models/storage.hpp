// What a checkpoint costs: its size from the model's parameters, its times from the storage's bandwidths.
#pragma once

#include "core/quantity.hpp"
#include "core/time.hpp"
#include "models/world.hpp"

namespace gauntlet {

/// All of the state that training needs to go on: bytes per parameter x parameters.
Bytes checkpoint_size(const World& world);

struct CheckpointCosts {
  Duration stall{};    // training is blocked
  Duration persist{};  // from the end of the stall until the checkpoint is durable
  Duration load{};     // until every rank has its state again
  friend bool operator==(const CheckpointCosts&, const CheckpointCosts&) = default;
};

/// Of one checkpoint on healthy storage. `stall`, `persist` and `load` of the storage model win where they
/// are not zero; what is then left costs nothing when the storage is `free`, and otherwise
///
///   synchronous   stall = size / write, persist = 0
///   two_stage     stall = each GPU's share of the size / pcie, persist = size / write
///   both          load = size / read
///
/// GPUs copy at once, and each holds one share of the state (distributed optimizer).
CheckpointCosts checkpoint_costs(const World& world);

}  // namespace gauntlet
