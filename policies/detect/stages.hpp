// Which hosts do the same work: those of a pipeline stage. A host counts to the stage of its first rank; ranks fill hosts in
// order, and the layout counts stages slowest, so that the slots of a stage are consecutive (core/layout.hpp).
#pragma once

#include "core/inventory.hpp"

#include <cstdint>

namespace gauntlet {

/// How many slots the stage has; where a host holds several stages, those that are not the first of a host have none.
inline std::uint32_t slots_of_stage(const Inventory& inventory, std::uint32_t stage) {
  const std::uint32_t ranks = inventory.layout.ranks() / inventory.layout.pp;
  const auto first_slot_from = [&](std::uint32_t rank) {
    const std::uint32_t slot = (rank + inventory.gpus_per_host - 1) / inventory.gpus_per_host;
    return slot < inventory.job_hosts ? slot : inventory.job_hosts;
  };
  return first_slot_from((stage + 1) * ranks) - first_slot_from(stage * ranks);
}

}  // namespace gauntlet
