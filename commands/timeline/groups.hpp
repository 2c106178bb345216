// The order of the tracks of a timeline, from top to bottom.
#pragma once

#include <cstdint>

namespace gauntlet::track_rank {

inline constexpr std::uint32_t kPhases = 0, kIncidents = 1, kCheckpoints = 2, kFaults = 3, kDetectors = 4,
                               kEvents = 5, kOrders = 6, kOutcomes = 7, kRepairs = 8, kHosts = 9;
/// Groups of hosts come in the order of the hosts, behind all others.
constexpr std::uint32_t of_host(std::uint32_t host) { return kHosts + host; }

}  // namespace gauntlet::track_rank
