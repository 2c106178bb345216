// What falls together, and which fabrics cannot be built.
#include "core/contract.hpp"
#include "models/topology/topology.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

// They take 0.9 GB, and as much again where flows are solved on them. 16,384 GPUs on rails, two hosts under a ToR switch,
// have 0.4 million.
constexpr std::uint64_t kMostLinks = 20'000'000;

// How many consecutive hosts a domain of a kind holds.
std::uint32_t hosts_of_domain(const FabricShape& shape, DomainKind kind) {
  const auto product = [&](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{a} * b, shape.hosts));
  };
  switch (kind) {
    case DomainKind::host:
      return 1;
    case DomainKind::rack:
      return product(shape.hosts_per_rack, 1);
    case DomainKind::tor:
      return shape.hosts_per_group;
    case DomainKind::pod:
      return product(shape.hosts_per_group, shape.groups_per_pod);
    case DomainKind::power:
      return product(shape.hosts_per_rack, shape.racks_per_power_domain);
  }
  return 1;
}

std::uint32_t switches_of_domain(const FabricShape& shape, DomainKind kind) {
  return kind == DomainKind::tor ? shape.tors_per_group : 1;
}

// Of one direction, as the topology builds them.
std::uint64_t link_count(const FabricShape& shape) {
  const std::uint64_t hosts = shape.hosts, pods = shape.pods();
  const std::uint64_t tors = std::uint64_t{shape.groups()} * shape.tors_per_group;
  const std::uint64_t in_host =
      shape.gpus_per_host + std::max(shape.gpus_per_host, shape.nics_per_host) + shape.nics_per_host;
  return 2 * (hosts * in_host + tors * shape.aggregations_per_pod + pods * shape.spines());
}

}  // namespace

std::uint32_t Topology::domains(DomainKind kind) const {
  const std::uint32_t each = hosts_of_domain(shape(), kind);
  return (hosts() + each - 1) / each * switches_of_domain(shape(), kind);
}

std::vector<HostId> Topology::hosts_of(DomainKind kind, std::uint32_t index) const {
  expect(index < domains(kind), "there is such a domain");
  const std::uint32_t each = hosts_of_domain(shape(), kind);
  const std::uint32_t begin = index / switches_of_domain(shape(), kind) * each;
  std::vector<HostId> out;
  for (std::uint32_t host = begin; host < hosts() && host < begin + each; ++host) out.push_back(HostId{host});
  return out;
}

std::optional<Misfit> fabric_misfit(std::uint32_t hosts, std::uint32_t hosts_per_tor,
                                    const Hardware& hardware, const Fabric& fabric) {
  const FabricShape shape = fabric_shape(hosts, hosts_per_tor, hardware, fabric);
  if (shape.pods() == 1 || shape.spines_per_aggregation > 0) return std::nullopt;
  const std::string needed = std::to_string(fabric.aggregations_per_pod);
  const std::string given = std::to_string(fabric.spines);
  return Misfit{
      .what = "cluster.network.spines",
      .why = "leaves some of the " + needed + " aggregation switches of a pod without a spine, and " +
             std::to_string(shape.pods()) + " pods are not joined",
      .suggestion = needed + " would join them, or cluster.network.aggregations_per_pod = " + given};
}

std::optional<Misfit> size_misfit(std::uint32_t hosts, std::uint32_t hosts_per_tor, const Hardware& hardware,
                                  const Fabric& fabric) {
  const std::uint64_t links = link_count(fabric_shape(hosts, hosts_per_tor, hardware, fabric));
  if (links <= kMostLinks) return std::nullopt;
  std::uint32_t most = 0;
  for (std::uint32_t step = 1U << 31; step > 0; step /= 2)
    if (most + step < hosts &&
        link_count(fabric_shape(most + step, hosts_per_tor, hardware, fabric)) <= kMostLinks)
      most += step;
  return Misfit{.what = "cluster.hosts",
                .why = "has, with the spares, " + std::to_string(links) +
                       " links in its network, more than " + std::to_string(kMostLinks) +
                       " that are looked at one by one",
                .suggestion = most > 0 ? std::to_string(most) + " hosts would do" : "give it fewer switches"};
}

}  // namespace gauntlet
