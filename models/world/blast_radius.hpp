// Which hosts a component concerns: one, or all of a failure domain.
#pragma once

#include "core/id.hpp"
#include "models/world/world.hpp"

#include <cstdint>

namespace gauntlet {

/// Consecutive hosts.
struct HostRange {
  HostId first;
  std::uint32_t count = 1;
  bool contains(HostId host) const { return host.value >= first.value && host.value - first.value < count; }
};

/// Whether a component is a host or a part of one. Failure domains are mended elsewhere.
constexpr bool sits_in_host(ComponentKind kind) {
  return kind == ComponentKind::host || kind == ComponentKind::gpu || kind == ComponentKind::nic;
}

/// The hosts that a component holds or connects. The job's own faults are charged to host 0; `rack`, `tor`, `power` as in
/// models/topology; an aggregation switch serves its pod, a spine switch every host.
HostRange hosts_of(const World& world, ComponentId component);

/// How many components of a kind there are in the world, those of spare hosts too.
std::uint32_t component_count(const World& world, ComponentKind kind);

/// How many of them, the first ones, concern a host that the job begins on. Hosts beside change it only where they take one more
/// aggregation or spine switch above them all.
std::uint32_t component_count_of_job(const World& world, ComponentKind kind);

}  // namespace gauntlet
