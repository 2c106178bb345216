// How a stop spreads over the ranks of a job: who waits for whom, and in which order.
//
// This is computed from the layout, not recorded. Within a training step a rank first meets its tensor-parallel group, then its
// context-parallel group and its expert-parallel group, once per layer, and then its neighbours in the pipeline. It meets its
// data-parallel group at the end of the step, when gradients are summed. So a stop spreads in waves: each wave holds the ranks that
// wait for a rank of the wave before. The data-parallel groups come last, after all that stops within the step. This is the order
// that MegaScale's authors give for a rank that hangs (https://arxiv.org/abs/2402.15627, section 5.2).
#pragma once

#include "core/layout.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// A rank in a stop. The culprits are wave 0 and wait for nobody. A rank that no culprit holds up has no wave.
struct WaitingRank {
  std::optional<std::uint32_t> wave;
  std::optional<Dimension> in;  // the dimension of the group in which it waits
  friend bool operator==(const WaitingRank&, const WaitingRank&) = default;
};

/// By rank. `culprits`: ranks of the layout. With an interleaved pipeline (`virtual_stages` above 1) the last stage is a neighbour of
/// the first. Takes time in proportion to the ranks and their groups.
std::vector<WaitingRank> spread_of(const Layout& layout, std::span<const std::uint32_t> culprits);

}  // namespace gauntlet
