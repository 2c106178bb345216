// Bandwidths of communicators as SimGrid measures them: the independent reference for models/network.
#pragma once

#include "flow/client.hpp"
#include "models/network/bandwidths.hpp"
#include "models/network/fabric_network.hpp"
#include "models/world/world.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gauntlet {

/// Above so many flows in a dimension, SimGrid sees only the groups that something degrades and one that stands for the
/// others, each with the part of every shared wire that is its own. A few thousand flows that all share take it seconds,
/// 12,288 in disorder a minute.
inline constexpr std::size_t kMostFlows = 2048;

/// The network of `fabric` in some states, in one run of the program. Throws FlowFailure.
std::vector<Bandwidths> simgrid_bandwidths(const FabricNetwork& fabric, std::span<const NetworkState> states,
                                           const FlowProgram& program, std::size_t most_flows = kMostFlows);

/// The same as a network, remembered by state. Throws FlowFailure when it is called.
Network simgrid_network(const World& world, Ecmp ecmp = Ecmp::spread, FlowProgram program = flow_program());

/// Seconds until each group is done, where all groups begin together and each member sends `bytes`.
std::vector<double> simgrid_seconds(const CommunicatorFlows& flows, std::span<const double> capacities,
                                    std::uint32_t groups, double bytes, const FlowProgram& program);

}  // namespace gauntlet
