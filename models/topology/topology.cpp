#include "models/topology/topology.hpp"

#include "core/contract.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet {
namespace {

// Edges in the order of their source, then target: an edge's index is its LinkNumber.
using Csr = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                               boost::no_property, VertexNumber, LinkNumber>;

}  // namespace

struct Topology::Graph {
  FabricShape shape;
  std::array<VertexNumber, kVertexKinds + 1> first{};  // vertex of each kind; the last: how many there are
  std::vector<Vertex> vertices;
  std::vector<Link> links;
  Csr csr;

  VertexNumber vertex(VertexKind kind, std::uint32_t index) const {
    return first[static_cast<std::size_t>(kind)] + index;
  }
  LinkNumber link(VertexNumber from, VertexNumber to) const {
    const auto [begin, end] = boost::adjacent_vertices(from, csr);
    const auto found = std::lower_bound(begin, end, to);
    expect(found != end && *found == to, "the two are neighbours");
    return get(boost::edge_index, csr, *boost::out_edges(from, csr).first) +
           static_cast<LinkNumber>(found - begin);
  }
};

namespace {

// Writes the links row by row, in the order of their sources; the targets of a row ascend.
class Builder {
 public:
  Builder(const FabricShape& shape, const std::array<VertexNumber, kVertexKinds + 1>& first,
          std::vector<Link>& links)
      : shape_(shape), host_(shape.host()), first_(first), links_(links), next_to_(shape.gpus_per_host) {
    for (std::uint32_t gpu = 0; gpu < shape.gpus_per_host; ++gpu)
      for (std::uint32_t nic = 0; nic < shape.nics_per_host; ++nic)
        if (host_.adjacent(gpu, nic)) next_to_[gpu].push_back(nic);
  }

  void gpu(std::uint32_t index) {
    const std::uint32_t host = index / shape_.gpus_per_host;
    const VertexNumber from = vertex(VertexKind::gpu, index);
    add(from, VertexKind::nvswitch, host, shape_.nvlink);
    for (const std::uint32_t nic : next_to_[index % shape_.gpus_per_host])
      add(from, VertexKind::nic, host * shape_.nics_per_host + nic, shape_.pcie);
  }

  void nvswitch(std::uint32_t host) {
    for (std::uint32_t gpu = 0; gpu < shape_.gpus_per_host; ++gpu)
      add(vertex(VertexKind::nvswitch, host), VertexKind::gpu, host * shape_.gpus_per_host + gpu,
          shape_.nvlink);
  }

  void nic(std::uint32_t index) {
    const std::uint32_t host = index / shape_.nics_per_host, nic = index % shape_.nics_per_host;
    const VertexNumber from = vertex(VertexKind::nic, index);
    for (std::uint32_t gpu = host_.gpu_of_nic(nic); gpu < shape_.gpus_per_host && host_.adjacent(gpu, nic);
         ++gpu)
      add(from, VertexKind::gpu, host * shape_.gpus_per_host + gpu, shape_.pcie);
    add(from, VertexKind::tor, shape_.tor_of(host, nic), shape_.nic);
  }

  void tor(std::uint32_t index) {
    const VertexNumber from = vertex(VertexKind::tor, index);
    const std::uint32_t group = shape_.group_of_tor(index), rail = index % shape_.tors_per_group;
    const std::uint32_t begin = group * shape_.hosts_per_group;
    const std::uint32_t end = std::min(begin + shape_.hosts_per_group, shape_.hosts);
    for (std::uint32_t host = begin; host < end; ++host)
      for (std::uint32_t nic = rail; nic < shape_.nics_per_host; nic += shape_.tors_per_group)
        add(from, VertexKind::nic, host * shape_.nics_per_host + nic, shape_.nic);
    const std::uint32_t above = shape_.pod_of_tor(index) * shape_.aggregations_per_pod;
    for (std::uint32_t a = 0; a < shape_.aggregations_per_pod; ++a)
      add(from, VertexKind::aggregation, above + a, shape_.tor_up);
  }

  void aggregation(std::uint32_t index) {
    const VertexNumber from = vertex(VertexKind::aggregation, index);
    const std::uint32_t of_pod = shape_.groups_per_pod * shape_.tors_per_group;
    const std::uint32_t begin = index / shape_.aggregations_per_pod * of_pod;
    const std::uint32_t end = std::min(begin + of_pod, shape_.tors());
    for (std::uint32_t tor = begin; tor < end; ++tor) add(from, VertexKind::tor, tor, shape_.tor_up);
    const std::uint32_t above = index % shape_.aggregations_per_pod * shape_.spines_per_aggregation;
    for (std::uint32_t s = 0; s < shape_.spines_per_aggregation; ++s)
      add(from, VertexKind::spine, above + s, shape_.aggregation_up);
  }

  void spine(std::uint32_t index) {
    const VertexNumber from = vertex(VertexKind::spine, index);
    const std::uint32_t below = index / shape_.spines_per_aggregation;
    for (std::uint32_t pod = 0; pod < shape_.pods(); ++pod)
      add(from, VertexKind::aggregation, pod * shape_.aggregations_per_pod + below, shape_.aggregation_up);
  }

 private:
  VertexNumber vertex(VertexKind kind, std::uint32_t index) const {
    return first_[static_cast<std::size_t>(kind)] + index;
  }
  void add(VertexNumber from, VertexKind kind, std::uint32_t index, Bandwidth bandwidth) {
    links_.push_back({.from = from, .to = vertex(kind, index), .bandwidth = bandwidth});
  }

  const FabricShape& shape_;
  HostShape host_;
  const std::array<VertexNumber, kVertexKinds + 1>& first_;
  std::vector<Link>& links_;
  std::vector<std::vector<std::uint32_t>> next_to_;  // NICs, by GPU within the host
};

}  // namespace

Topology::Topology(std::uint32_t hosts, std::uint32_t hosts_per_tor, const Hardware& hardware,
                   const Fabric& fabric) {
  expect(!size_misfit(hosts, hosts_per_tor, hardware, fabric), "whoever reads a size from a user checks it");
  auto graph = std::make_unique<Graph>();
  graph->shape = fabric_shape(hosts, hosts_per_tor, hardware, fabric);
  const FabricShape& shape = graph->shape;
  const std::array<std::uint32_t, kVertexKinds> counts = {shape.gpus(), shape.hosts,          shape.nics(),
                                                          shape.tors(), shape.aggregations(), shape.spines()};
  for (std::size_t kind = 0; kind < kVertexKinds; ++kind) {
    graph->first[kind + 1] = graph->first[kind] + counts[kind];
    for (std::uint32_t i = 0; i < counts[kind]; ++i)
      graph->vertices.push_back({static_cast<VertexKind>(kind), i});
  }

  Builder build(shape, graph->first, graph->links);
  for (const Vertex& vertex : graph->vertices) {
    switch (vertex.kind) {
      case VertexKind::gpu:
        build.gpu(vertex.index);
        break;
      case VertexKind::nvswitch:
        build.nvswitch(vertex.index);
        break;
      case VertexKind::nic:
        build.nic(vertex.index);
        break;
      case VertexKind::tor:
        build.tor(vertex.index);
        break;
      case VertexKind::aggregation:
        build.aggregation(vertex.index);
        break;
      case VertexKind::spine:
        build.spine(vertex.index);
        break;
    }
  }
  std::vector<std::pair<VertexNumber, VertexNumber>> edges;
  edges.reserve(graph->links.size());
  for (const Link& link : graph->links) edges.emplace_back(link.from, link.to);
  graph->csr = Csr(boost::edges_are_sorted, edges.begin(), edges.end(), graph->first.back());
  graph_ = std::move(graph);
}

Topology::~Topology() = default;
Topology::Topology(Topology&&) noexcept = default;

const FabricShape& Topology::shape() const { return graph_->shape; }
std::span<const Vertex> Topology::vertices() const { return graph_->vertices; }
std::span<const Link> Topology::links() const { return graph_->links; }

std::optional<VertexNumber> Topology::find(VertexKind kind, std::uint32_t index) const {
  const auto k = static_cast<std::size_t>(kind);
  if (index >= graph_->first[k + 1] - graph_->first[k]) return std::nullopt;
  return graph_->vertex(kind, index);
}

std::vector<LinkNumber> Topology::path(std::uint32_t from_gpu, std::uint32_t to_gpu, std::uint32_t rail,
                                       std::uint64_t hash) const {
  const FabricShape& shape = graph_->shape;
  expect(from_gpu < shape.gpus() && to_gpu < shape.gpus() && rail < shape.nics_per_host,
         "the GPUs and the rail are in the cluster");
  const std::uint32_t here = from_gpu / shape.gpus_per_host, there = to_gpu / shape.gpus_per_host;
  std::vector<LinkNumber> links;
  VertexNumber at = graph_->vertex(VertexKind::gpu, from_gpu);
  const auto go = [&](VertexKind kind, std::uint32_t index) {
    const VertexNumber next = graph_->vertex(kind, index);
    if (next == at) return;
    links.push_back(graph_->link(at, next));
    at = next;
  };
  const auto over_nvlink = [&](std::uint32_t host, std::uint32_t gpu) {
    if (at == graph_->vertex(VertexKind::gpu, gpu)) return;
    go(VertexKind::nvswitch, host);
    go(VertexKind::gpu, gpu);
  };
  if (here == there) {
    over_nvlink(here, to_gpu);
    return links;
  }
  // The GPU of this host that hands to the NIC, or takes from it: the flow's own one where it sits next to the NIC.
  const auto at_nic = [&](std::uint32_t gpu) {
    const std::uint32_t in_host = gpu % shape.gpus_per_host;
    return shape.host().adjacent(in_host, rail) ? gpu : gpu - in_host + shape.host().gpu_of_nic(rail);
  };
  over_nvlink(here, at_nic(from_gpu));
  go(VertexKind::nic, here * shape.nics_per_host + rail);
  go(VertexKind::tor, shape.tor_of(here, rail));
  if (shape.group_of_host(here) != shape.group_of_host(there)) {
    const std::uint32_t per_pod = shape.aggregations_per_pod;
    const std::uint64_t chosen = hash % equal_paths(from_gpu, to_gpu);
    const auto aggregation = static_cast<std::uint32_t>(chosen % per_pod);
    go(VertexKind::aggregation, shape.pod_of_host(here) * per_pod + aggregation);
    if (shape.pod_of_host(here) != shape.pod_of_host(there))
      go(VertexKind::spine,
         aggregation * shape.spines_per_aggregation + static_cast<std::uint32_t>(chosen / per_pod));
    go(VertexKind::aggregation, shape.pod_of_host(there) * per_pod + aggregation);
    go(VertexKind::tor, shape.tor_of(there, rail));
  }
  go(VertexKind::nic, there * shape.nics_per_host + rail);
  go(VertexKind::gpu, at_nic(to_gpu));
  over_nvlink(there, to_gpu);
  return links;
}

std::uint32_t Topology::equal_paths(std::uint32_t from_gpu, std::uint32_t to_gpu) const {
  const FabricShape& shape = graph_->shape;
  const std::uint32_t here = from_gpu / shape.gpus_per_host, there = to_gpu / shape.gpus_per_host;
  if (shape.group_of_host(here) == shape.group_of_host(there)) return 1;
  if (shape.pod_of_host(here) == shape.pod_of_host(there)) return shape.aggregations_per_pod;
  expect(shape.spines() > 0, "spines join the pods (fabric_misfit)");
  return shape.spines();
}

std::vector<LinkNumber> Topology::links_at(VertexNumber vertex) const {
  std::vector<LinkNumber> links;
  const auto [begin, end] = boost::adjacent_vertices(vertex, graph_->csr);
  for (auto neighbour = begin; neighbour != end; ++neighbour) {
    links.push_back(graph_->link(vertex, *neighbour));
    links.push_back(graph_->link(*neighbour, vertex));
  }
  return links;
}

bool Topology::connected() const {
  // Every link has its opposite, so that the strong components are the connected ones.
  std::vector<VertexNumber> component(graph_->vertices.size());
  return boost::strong_components(
             graph_->csr, boost::make_iterator_property_map(component.begin(),
                                                            get(boost::vertex_index, graph_->csr))) == 1;
}

}  // namespace gauntlet
