// The cluster as a graph: GPUs, NICs and switches, joined by links; who shares what, and what falls together.
//
// Built with Boost.Graph behind this header. Vertices and links are numbered without gaps, in a fixed order.
#pragma once

#include "core/id.hpp"
#include "core/quantity.hpp"
#include "models/hardware.hpp"
#include "models/topology/fabric.hpp"
#include "models/topology/shape.hpp"
#include "models/workload.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

enum class VertexKind : std::uint8_t { gpu, nvswitch, nic, tor, aggregation, spine };
inline constexpr std::size_t kVertexKinds = 6;

struct Vertex {
  VertexKind kind = VertexKind::gpu;
  std::uint32_t index =
      0;  // among those of its kind; gpu g of host h is h * gpus_per_host + g, a NIC likewise
  friend bool operator==(const Vertex&, const Vertex&) = default;
};

using VertexNumber = std::uint32_t;
using LinkNumber = std::uint32_t;  // of one direction

struct Link {
  VertexNumber from = 0, to = 0;
  Bandwidth bandwidth;
};

enum class DomainKind : std::uint8_t { host, rack, tor, pod, power };

class Topology {
 public:
  /// `hosts_per_tor`: hosts under one ToR switch; in a rail-optimised fabric, hosts of a group with a switch for each rail.
  Topology(std::uint32_t hosts, std::uint32_t hosts_per_tor, const Hardware& hardware, const Fabric& fabric);
  ~Topology();
  Topology(Topology&&) noexcept;

  const FabricShape& shape() const;
  std::uint32_t hosts() const { return shape().hosts; }
  std::uint32_t gpus_per_host() const { return shape().gpus_per_host; }
  std::uint32_t nics_per_host() const { return shape().nics_per_host; }
  std::span<const Vertex> vertices() const;
  std::span<const Link> links() const;
  std::optional<VertexNumber> find(VertexKind kind, std::uint32_t index) const;

  /// The links of one shortest path between two GPUs, through NIC `rail` of either host where they are in different ones;
  /// a GPU reaches another GPU's NIC over NVLink. Of n equal paths the one numbered `hash` modulo n, so that consecutive
  /// numbers spread evenly and a hash of the flow's five-tuple spreads as ECMP does.
  std::vector<LinkNumber> path(std::uint32_t from_gpu, std::uint32_t to_gpu, std::uint32_t rail,
                               std::uint64_t hash) const;
  /// How many equal paths there are, through any one rail.
  std::uint32_t equal_paths(std::uint32_t from_gpu, std::uint32_t to_gpu) const;
  /// Every link that begins or ends at a vertex.
  std::vector<LinkNumber> links_at(VertexNumber vertex) const;

  /// The hosts that fall together with the n-th domain of a kind, in ascending order. Every host is in one domain of a
  /// kind, but under one ToR switch of each rail where there are rails.
  std::vector<HostId> hosts_of(DomainKind kind, std::uint32_t index) const;
  std::uint32_t domains(DomainKind kind) const;
  /// Whether every host can reach every other.
  bool connected() const;

 private:
  struct Graph;
  std::unique_ptr<const Graph> graph_;
};

/// Why a fabric could not join all hosts; nothing where it does.
std::optional<Misfit> fabric_misfit(std::uint32_t hosts, std::uint32_t hosts_per_tor,
                                    const Hardware& hardware, const Fabric& fabric);
/// Why a cluster is too large to be built link by link; nothing where it is not.
std::optional<Misfit> size_misfit(std::uint32_t hosts, std::uint32_t hosts_per_tor, const Hardware& hardware,
                                  const Fabric& fabric);

/// What the first half of the hosts can send to the second half at once, over any paths (max flow = min cut), each way.
/// With hosts placed in order this is the bisection of the fabric where it has an even number of alike pods.
Bandwidth bisection(const Topology& topology);

/// "gpu 12"
std::string to_text(const Vertex& vertex);
/// A page of text: how many of what, at which bandwidth, the failure domains, and the paths that two GPUs take.
std::string to_text(const Topology& topology);
/// Graphviz; what is beyond the first few pods, switches and hosts is drawn as one node that says how many.
std::string to_dot(const Topology& topology);

}  // namespace gauntlet
