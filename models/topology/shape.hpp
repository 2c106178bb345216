// A fabric in numbers: how many switches of each level, who is under whom, and the bandwidth of each kind of link.
//
// Levels that would join nothing are left out: a cluster under one ToR switch (or one group of rail switches) has no
// aggregation switches, one of a single pod has no spines.
#pragma once

#include "core/quantity.hpp"
#include "models/hardware.hpp"
#include "models/topology/fabric.hpp"
#include "models/topology/host_shape.hpp"

#include <cstdint>

namespace gauntlet {

/// Hosts, groups and pods hold consecutive numbers; the last of each may be smaller than the others, and is wired alike.
struct FabricShape {
  FabricKind kind = FabricKind::clos;
  std::uint32_t hosts = 0;
  std::uint32_t gpus_per_host = 0;
  std::uint32_t nics_per_host = 0;
  std::uint32_t hosts_per_group = 0;  // a group: the hosts under one ToR switch, or under one of each rail
  std::uint32_t tors_per_group = 1;   // the rails of a rail-optimised fabric
  std::uint32_t groups_per_pod = 0;
  std::uint32_t aggregations_per_pod = 0;
  std::uint32_t spines_per_aggregation =
      0;  // aggregation a of every pod goes to the spines a*n .. (a+1)*n - 1
  std::uint32_t hosts_per_rack = 0;
  std::uint32_t racks_per_power_domain = 0;

  // Of one link, each direction.
  Bandwidth nvlink{};
  Bandwidth pcie{};
  Bandwidth nic{};
  Bandwidth tor_up{};          // a ToR switch to one aggregation switch
  Bandwidth aggregation_up{};  // an aggregation switch to one spine

  std::uint32_t groups() const { return (hosts + hosts_per_group - 1) / hosts_per_group; }
  std::uint32_t pods() const { return (groups() + groups_per_pod - 1) / groups_per_pod; }
  std::uint32_t gpus() const { return hosts * gpus_per_host; }
  std::uint32_t nics() const { return hosts * nics_per_host; }
  std::uint32_t tors() const { return groups() * tors_per_group; }
  std::uint32_t aggregations() const { return pods() * aggregations_per_pod; }
  std::uint32_t spines() const { return aggregations_per_pod * spines_per_aggregation; }

  std::uint32_t group_of_host(std::uint32_t host) const { return host / hosts_per_group; }
  std::uint32_t pod_of_host(std::uint32_t host) const { return group_of_host(host) / groups_per_pod; }
  std::uint32_t group_of_tor(std::uint32_t tor) const { return tor / tors_per_group; }
  std::uint32_t pod_of_tor(std::uint32_t tor) const { return group_of_tor(tor) / groups_per_pod; }
  std::uint32_t tor_of(std::uint32_t host, std::uint32_t nic) const {
    return group_of_host(host) * tors_per_group + nic % tors_per_group;
  }
  HostShape host() const { return {.gpus = gpus_per_host, .nics = nics_per_host}; }
};

FabricShape fabric_shape(std::uint32_t hosts, std::uint32_t hosts_per_tor, const Hardware& hardware,
                         const Fabric& fabric);

}  // namespace gauntlet
