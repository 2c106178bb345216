#include "models/world/blast_radius.hpp"

#include "models/topology/topology.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

/// 45 hosts of 8 GPUs and 4 NICs, 5 of them spares: 12 groups of 4 under ToR switches, the last of one host.
World fabric_world(FabricKind fabric) {
  World world;
  world.inventory.job_hosts = 40;
  world.inventory.spares = 5;
  world.inventory.gpus_per_host = 8;
  world.inventory.hosts_per_tor = 4;
  world.hardware.gpus_per_host = 8;
  world.hardware.nics_per_host = 4;
  world.fabric.kind = fabric;
  world.fabric.tors_per_pod = 8;
  world.fabric.aggregations_per_pod = 2;
  world.fabric.spines = 4;
  world.fabric.hosts_per_rack = 6;
  world.fabric.racks_per_power_domain = 3;
  return world;
}

std::vector<HostId> hosts_in(const HostRange& range) {
  std::vector<HostId> hosts;
  for (std::uint32_t h = 0; h < range.count; ++h) hosts.push_back(HostId{range.first.value + h});
  return hosts;
}

TEST(BlastRadius, OfWhatAHostHoldsIsThatHost) {
  const World world = fabric_world(FabricKind::clos);
  const auto host_of = [&](ComponentKind kind, std::uint32_t index) {
    const HostRange hosts = hosts_of(world, {kind, index});
    EXPECT_EQ(hosts.count, 1u);
    return hosts.first;
  };
  EXPECT_EQ(host_of(ComponentKind::host, 4), HostId{4});
  EXPECT_EQ(host_of(ComponentKind::gpu, 7), HostId{0});
  EXPECT_EQ(host_of(ComponentKind::gpu, 8), HostId{1});
  EXPECT_EQ(host_of(ComponentKind::nic, 7), HostId{1});  // 4 a host
  EXPECT_EQ(host_of(ComponentKind::job, 0), HostId{0});
  EXPECT_EQ(component_count(world, ComponentKind::job), 1u);
  EXPECT_EQ(component_count(world, ComponentKind::host), 45u);
  EXPECT_EQ(component_count(world, ComponentKind::gpu), 360u);
  EXPECT_EQ(component_count(world, ComponentKind::nic), 180u);
}

// The topology is built by itself, link by link: its domains are the reference.
TEST(BlastRadius, OfADomainIsThatOfTheTopology) {
  for (const FabricKind fabric : {FabricKind::clos, FabricKind::rail_optimised, FabricKind::fat_tree}) {
    const World world = fabric_world(fabric);
    const Topology topology(45, 4, world.hardware, world.fabric);
    struct Pair {
      ComponentKind component;
      DomainKind domain;
    };
    for (const auto& [component, domain] :
         {Pair{ComponentKind::rack, DomainKind::rack}, Pair{ComponentKind::tor, DomainKind::tor},
          Pair{ComponentKind::power, DomainKind::power}}) {
      ASSERT_EQ(component_count(world, component), topology.domains(domain));
      for (std::uint32_t n = 0; n < topology.domains(domain); ++n)
        EXPECT_EQ(hosts_in(hosts_of(world, {component, n})), topology.hosts_of(domain, n)) << n;
    }
    const std::uint32_t each = topology.shape().aggregations_per_pod;
    ASSERT_EQ(component_count(world, ComponentKind::aggregation), each * topology.domains(DomainKind::pod));
    for (std::uint32_t n = 0; n < component_count(world, ComponentKind::aggregation); ++n)
      EXPECT_EQ(hosts_in(hosts_of(world, {ComponentKind::aggregation, n})),
                topology.hosts_of(DomainKind::pod, n / each));
    EXPECT_EQ(component_count(world, ComponentKind::spine), topology.shape().spines());
    EXPECT_EQ(hosts_of(world, {ComponentKind::spine, 0}).count, 45u);
  }
}

TEST(BlastRadius, ALevelThatIsNotThereHasNoSwitches) {
  World world = fabric_world(FabricKind::clos);
  world.inventory.hosts_per_tor = 45;
  EXPECT_EQ(component_count(world, ComponentKind::tor), 1u);
  EXPECT_EQ(component_count(world, ComponentKind::aggregation), 0u);
  EXPECT_EQ(component_count(world, ComponentKind::spine), 0u);
}

}  // namespace
}  // namespace gauntlet
