#include "models/topology/topology.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

// In 2^-30 of a NIC's bandwidth: whole numbers, so that the algorithm ends, and no sum of 2^33 NICs overflows.
using Capacity = std::int64_t;
constexpr double kOfNic = 0x1p30;
constexpr double kMost = 0x1p62;

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
struct Arc {
  Capacity capacity = 0, left = 0;
  Traits::edge_descriptor opposite;
};
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, Arc>;

// The algorithm takes excess back over opposite arcs without a capacity alone: each arc has one of its own.
void add_arc(Graph& network, std::size_t from, std::size_t to, Capacity capacity) {
  const auto arc =
      boost::add_edge(from, to, {.capacity = capacity, .left = 0, .opposite = {}}, network).first;
  network[arc].opposite =
      boost::add_edge(to, from, {.capacity = 0, .left = 0, .opposite = arc}, network).first;
}

}  // namespace

// Hosts are sources and sinks, not relays: the network is that of the switches, with the NICs of each half at the ToR
// switches.
Bandwidth bisection(const Topology& topology) {
  const auto vertices = topology.vertices();
  const Bandwidth nic = topology.shape().nic;
  const std::uint32_t half = topology.hosts() / 2 * topology.nics_per_host();
  const VertexNumber first = topology.find(VertexKind::tor, 0).value();
  const std::size_t switches = vertices.size() - first, source = switches, sink = switches + 1;
  Graph network(switches + 2);
  std::vector<Capacity> sent(switches), received(switches);
  for (const Link& link : topology.links()) {
    const auto capacity = static_cast<Capacity>(std::min(link.bandwidth / nic * kOfNic, kMost));
    const Vertex from = vertices[link.from];
    if (from.kind == VertexKind::nic && link.to >= first)
      (from.index < half ? sent : received)[link.to - first] += capacity;
    if (link.from >= first && link.to >= first)
      add_arc(network, link.from - first, link.to - first, capacity);
  }
  for (std::size_t i = 0; i < switches; ++i) {
    if (sent[i] > 0) add_arc(network, source, i, sent[i]);
    if (received[i] > 0) add_arc(network, i, sink, received[i]);
  }

  const Capacity flow = boost::push_relabel_max_flow(network, source, sink, get(&Arc::capacity, network),
                                                     get(&Arc::left, network), get(&Arc::opposite, network),
                                                     get(boost::vertex_index, network));
  return nic * (static_cast<double>(flow) / kOfNic);
}

}  // namespace gauntlet
