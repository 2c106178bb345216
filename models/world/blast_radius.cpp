#include "models/world/blast_radius.hpp"

#include "models/topology/shape.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

FabricShape shape_of(const World& world) {
  return fabric_shape(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware, world.fabric);
}

/// The n-th of the ranges of `each` hosts, the last of which may be smaller.
HostRange range(const World& world, std::uint64_t each, std::uint32_t n) {
  const std::uint32_t hosts = world.inventory.hosts();
  const auto first = static_cast<std::uint32_t>(std::min<std::uint64_t>(each * n, hosts));
  return {HostId{first}, static_cast<std::uint32_t>(std::min<std::uint64_t>(each, hosts - first))};
}

std::uint64_t hosts_of_power_domain(const World& world) {
  return std::uint64_t{world.fabric.hosts_per_rack} * world.fabric.racks_per_power_domain;
}

std::uint32_t ranges(const World& world, std::uint64_t each) {
  return static_cast<std::uint32_t>((world.inventory.hosts() + each - 1) / each);
}

}  // namespace

HostRange hosts_of(const World& world, ComponentId component) {
  const std::uint32_t n = component.index;
  switch (component.kind) {
    case ComponentKind::job:
      return {HostId{0}};
    case ComponentKind::host:
      return {HostId{n}};
    case ComponentKind::gpu:
      return {HostId{n / world.inventory.gpus_per_host}};
    case ComponentKind::nic:
      return {HostId{n / world.hardware.nics_per_host}};
    case ComponentKind::rack:
      return range(world, world.fabric.hosts_per_rack, n);
    case ComponentKind::power:
      return range(world, hosts_of_power_domain(world), n);
    case ComponentKind::tor: {
      const FabricShape shape = shape_of(world);
      return range(world, shape.hosts_per_group, shape.group_of_tor(n));
    }
    case ComponentKind::aggregation: {
      const FabricShape shape = shape_of(world);
      const std::uint64_t pod = std::uint64_t{shape.hosts_per_group} * shape.groups_per_pod;
      return range(world, pod, n / shape.aggregations_per_pod);
    }
    case ComponentKind::spine:
      return {HostId{0}, world.inventory.hosts()};
  }
  return {HostId{0}};
}

std::uint32_t component_count(const World& world, ComponentKind kind) {
  const std::uint32_t hosts = world.inventory.hosts();
  switch (kind) {
    case ComponentKind::job:
      return 1;
    case ComponentKind::host:
      return hosts;
    case ComponentKind::gpu:
      return hosts * world.inventory.gpus_per_host;
    case ComponentKind::nic:
      return hosts * world.hardware.nics_per_host;
    case ComponentKind::rack:
      return ranges(world, world.fabric.hosts_per_rack);
    case ComponentKind::power:
      return ranges(world, hosts_of_power_domain(world));
    case ComponentKind::tor:
      return shape_of(world).tors();
    case ComponentKind::aggregation:
      return shape_of(world).aggregations();
    case ComponentKind::spine:
      return shape_of(world).spines();
  }
  return 0;
}

std::uint32_t component_count_of_job(const World& world, ComponentKind kind) {
  std::uint32_t from = 0, to = component_count(world, kind);
  while (from < to) {  // their hosts ascend
    const std::uint32_t middle = from + (to - from) / 2;
    if (hosts_of(world, {kind, middle}).first.value < world.inventory.job_hosts) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

}  // namespace gauntlet
