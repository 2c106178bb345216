#include "models/network/fabric_links.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

/// What the links of one wire have in common: the kinds of their ends, and the ends, or pods, between which flows have no
/// choice.
struct Bundle {
  VertexKind from_kind, to_kind;
  std::uint32_t from, to;
  friend auto operator<=>(const Bundle&, const Bundle&) = default;
};

bool is_switch(VertexKind kind) { return kind >= VertexKind::tor; }

/// Between switches, a flow that goes up may take any link, and so one that comes down: all links of a ToR switch upwards
/// are one, all of a pod's aggregation switches upwards, and the same downwards.
Bundle bundle_of(const Topology& topology, const Link& link) {
  const auto end = [&](VertexNumber vertex, VertexKind other) {
    const Vertex v = topology.vertices()[vertex];
    if (!is_switch(v.kind) || !is_switch(other)) return vertex;
    if (v.kind == VertexKind::aggregation)
      return other == VertexKind::spine ? v.index / topology.shape().aggregations_per_pod : 0;
    return v.kind == VertexKind::spine ? 0 : vertex;
  };
  const VertexKind from = topology.vertices()[link.from].kind, to = topology.vertices()[link.to].kind;
  return {from, to, end(link.from, to), end(link.to, from)};
}

/// mix64variant13 of Steele, Lea and Flood, OOPSLA'14 (https://doi.org/10.1145/2714064.2660195).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

FabricLinks::FabricLinks(Topology topology, Ecmp ecmp) : topology_(std::move(topology)), ecmp_(ecmp) {
  const std::span<const Link> links = topology_.links();
  wire_of_.resize(links.size());
  std::map<Bundle, std::uint32_t> bundles;
  for (std::size_t i = 0; i < links.size(); ++i) {
    const bool alone = ecmp == Ecmp::hashed || !is_switch(topology_.vertices()[links[i].from].kind) ||
                       !is_switch(topology_.vertices()[links[i].to].kind);
    if (alone) {
      wire_of_[i] = static_cast<std::uint32_t>(wires_++);
      continue;
    }
    const auto [found, fresh] =
        bundles.try_emplace(bundle_of(topology_, links[i]), static_cast<std::uint32_t>(wires_));
    if (fresh) ++wires_;
    wire_of_[i] = found->second;
  }
}

std::vector<std::uint32_t> FabricLinks::path(std::uint32_t from_gpu, std::uint32_t to_gpu,
                                             std::uint32_t rail) const {
  const std::uint64_t ends =
      (static_cast<std::uint64_t>(from_gpu) << 32 | to_gpu) + rail * 0x9e3779b97f4a7c15ULL;
  std::vector<std::uint32_t> links =
      topology_.path(from_gpu, to_gpu, rail, ecmp_ == Ecmp::hashed ? mixed(ends) : 0);
  for (std::uint32_t& link : links) link = wire_of_[link];
  return links;
}

void FabricLinks::slow_down(std::vector<double>& factors, VertexKind kind, std::uint32_t index,
                            double factor) const {
  expect(factor >= 1, "degraded is no faster than healthy");
  if (const auto vertex = topology_.find(kind, index))
    for (const LinkNumber link : topology_.links_at(*vertex)) factors[link] = std::max(factors[link], factor);
}

std::vector<double> FabricLinks::capacities(const NetworkState& state) const {
  const std::span<const Link> links = topology_.links();
  std::vector<double> factors(links.size(), 1);
  const std::uint32_t nics = topology_.nics_per_host();
  for (const DegradedNic& nic : state.nics)
    for (std::uint32_t n = 0; n < nics; ++n)
      if (nic.nic == kAllNics || nic.nic == n)
        slow_down(factors, VertexKind::nic, nic.slot * nics + n, nic.factor);
  constexpr VertexKind kinds[] = {VertexKind::tor, VertexKind::aggregation, VertexKind::spine};
  for (const DegradedSwitch& at : state.switches)
    slow_down(factors, kinds[static_cast<std::size_t>(at.kind)], at.index, at.factor);

  std::vector<double> out(wires_, 0);
  for (std::size_t i = 0; i < links.size(); ++i) out[wire_of_[i]] += links[i].bandwidth.value / factors[i];
  return out;
}

}  // namespace gauntlet
