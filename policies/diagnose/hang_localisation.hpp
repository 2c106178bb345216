// Who holds up a job that stands still, from the collective in which each host waits.
//
// A rank that waits shows it: its agent knows the last collective that it entered. A rank that never got there shows nothing,
// and nobody waits for one that waits itself in the same collective. So "who waits for whom" is a directed graph over the
// groups of the 3D layout, and the culprits are where its paths end (MegaScale names the rank that logs nothing,
// https://arxiv.org/abs/2402.15627, section 5.2). Strong components come from Boost.Graph, which only the .cpp names: this
// is a graph algorithm, and no clock, thread or random number comes with it.
#pragma once

#include "core/id.hpp"
#include "core/inventory.hpp"

#include <optional>
#include <vector>

namespace gauntlet {

/// `answers[slot]`: the dimension of the collective in which the host of that slot waits; nothing where it does not answer.
/// The slots whose hosts others wait for, directly or through others, and that wait for nobody themselves: first those that
/// did not answer, each kind in ascending order. A host whose answer was lost cannot be told from one that is stuck.
std::vector<std::uint32_t> slots_waited_for(const Inventory& inventory,
                                            const std::vector<std::optional<Dimension>>& answers);

}  // namespace gauntlet
