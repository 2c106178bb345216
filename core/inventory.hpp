// What operators believe about the cluster. Policies get it by value with the first observation.
#pragma once

#include "core/id.hpp"
#include "core/layout.hpp"

#include <cstdint>

namespace gauntlet {

/// Hosts 0 .. job_hosts-1 carry the job when it starts; the next `spares` hosts stand by, idle and powered.
struct Inventory {
  std::uint32_t job_hosts = 1;
  std::uint32_t spares = 0;
  std::uint32_t gpus_per_host = 8;
  std::uint32_t hosts_per_tor = 1;  // neighbours under one top-of-rack switch are consecutive hosts
  Layout layout;

  constexpr std::uint32_t hosts() const { return job_hosts + spares; }
  constexpr bool starts_in_job(HostId host) const { return host.value < job_hosts; }
  friend bool operator==(const Inventory&, const Inventory&) = default;
};

/// The same job with so many data-parallel replicas, which fill whole hosts.
constexpr Inventory with_replicas(Inventory inventory, std::uint32_t replicas) {
  inventory.layout.dp = replicas;
  inventory.job_hosts = inventory.layout.ranks() / inventory.gpus_per_host;
  return inventory;
}

}  // namespace gauntlet
