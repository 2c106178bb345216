// What a scenario says of its network.
#pragma once

#include <cstdint>

namespace gauntlet {

enum class FabricKind : std::uint8_t {
  clos,            // three levels: ToR, aggregation, spine; all NICs of a host under one ToR
  rail_optimised,  // NIC r of every host of a group under the group's ToR of rail r; the levels above as in clos
  fat_tree,        // clos with `oversubscription` at ToR switches too
};

enum class SwitchKind : std::uint8_t { tor, aggregation, spine };

/// The hardware entry gives hosts and NICs, the inventory the hosts under one ToR switch.
struct Fabric {
  FabricKind kind = FabricKind::rail_optimised;
  std::uint32_t tors_per_pod = 8;  // under the same aggregation switches; with rails: whole groups of them
  std::uint32_t aggregations_per_pod = 8;
  std::uint32_t spines = 64;  // wired evenly to a pod's aggregation switches: a multiple of them is used
  /// Down-link over up-link bandwidth of an aggregation switch; in a fat tree of a ToR switch too.
  double oversubscription = 1;
  std::uint32_t hosts_per_rack = 4;  // that share power
  std::uint32_t racks_per_power_domain = 16;
};

}  // namespace gauntlet
