#include "models/topology/topology.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

// So many of each are drawn, the rest as one node; a picture of more cannot be read.
constexpr std::uint32_t kPods = 2;
constexpr std::uint32_t kGroups = 2;        // of a pod
constexpr std::uint32_t kHosts = 2;         // of a group
constexpr std::uint32_t kAggregations = 2;  // of a pod
constexpr std::uint32_t kSpines = 4;
constexpr std::uint32_t kRails = 8;        // of a group
constexpr std::uint32_t kPartsOfHost = 8;  // GPUs or NICs of the one host that is drawn in full

// One that would be left alone beside those drawn is drawn too.
bool drawn(std::uint32_t index, std::uint32_t all, std::uint32_t most) {
  return index < most || all <= most + 1;
}

class Drawing {
 public:
  explicit Drawing(const Topology& topology) : shape_(topology.shape()) {
    std::vector<std::size_t> node;  // by vertex
    for (const Vertex& vertex : topology.vertices()) {
      node.push_back(node_of(vertex));
      ++nodes_[node.back()].holds[static_cast<std::size_t>(vertex.kind)];
    }
    for (const Link& link : topology.links()) {
      if (link.from > link.to || node[link.from] == node[link.to]) continue;
      Edge& edge = edges_[{node[link.from], node[link.to]}];
      ++edge.links;
      edge.bandwidth = link.bandwidth;
      edge.in_host = topology.vertices()[link.to].kind <= VertexKind::nic;
    }
  }

  std::string text() const {
    std::string out =
        "graph topology {\n  rankdir=BT;\n  ranksep=1;\n  node [shape=box, fontsize=10];\n"
        "  edge [fontsize=8];\n";
    for (std::uint32_t pod = 0; pod < shape_.pods() && pod <= kPods; ++pod) {
      std::string inside;
      for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (nodes_[i].pod == pod) inside += node_text("    ", i);
      if (inside.empty()) break;
      out += fmt::format("  subgraph cluster_pod_{} {{\n    label=\"pod {}\";\n{}  }}\n", pod, pod, inside);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].pod == kNoPod) out += node_text("  ", i);
    for (const auto& [ends, edge] : edges_)
      out += fmt::format("  n{} -- n{} [label=\"{}\"];\n", ends.first, ends.second, edge_text(edge));
    return out + "}\n";
  }

 private:
  static constexpr std::uint32_t kNoPod = ~0U;
  struct Node {
    std::string name;  // empty: "12 more" of what it holds
    std::uint32_t pod = kNoPod;
    std::array<std::uint32_t, kVertexKinds> holds{};
  };
  struct Edge {
    std::uint32_t links = 0;
    Bandwidth bandwidth;  // of each
    bool in_host = false;
  };
  // Vertices of one key are drawn as one node.
  using Key = std::array<std::uint32_t, 3>;
  enum Place : std::uint32_t {
    alone,
    host,
    hosts_of_group,
    groups_of_pod,
    rails_of_group,
    aggregations_of_pod,
    pods,
    spines
  };

  std::size_t at(const Key& key, const std::string& name, std::uint32_t pod) {
    const auto [found, added] = numbers_.try_emplace(key, nodes_.size());
    if (added) nodes_.push_back({.name = name, .pod = pod});
    return found->second;
  }
  std::size_t by_itself(const Vertex& vertex, std::uint32_t pod) {
    return at({alone, static_cast<std::uint32_t>(vertex.kind), vertex.index}, to_text(vertex), pod);
  }

  std::size_t node_of(const Vertex& vertex) {
    switch (vertex.kind) {
      case VertexKind::gpu:
        return node_in_host(vertex, vertex.index / shape_.gpus_per_host);
      case VertexKind::nvswitch:
        return node_in_host(vertex, vertex.index);
      case VertexKind::nic:
        return node_in_host(vertex, vertex.index / shape_.nics_per_host);
      case VertexKind::tor:
        return node_of_tor(vertex);
      case VertexKind::aggregation: {
        const std::uint32_t all = shape_.aggregations_per_pod, pod = vertex.index / all;
        if (!drawn(pod, shape_.pods(), kPods)) return at({pods}, "", kNoPod);
        if (!drawn(vertex.index % all, all, kAggregations)) return at({aggregations_of_pod, pod}, "", pod);
        return by_itself(vertex, pod);
      }
      case VertexKind::spine:
        return drawn(vertex.index, shape_.spines(), kSpines) ? by_itself(vertex, kNoPod)
                                                             : at({spines}, "", kNoPod);
    }
    return 0;
  }

  // The node that a whole group is part of; none where the group is drawn.
  std::optional<std::size_t> node_of_group(std::uint32_t group) {
    const std::uint32_t pod = group / shape_.groups_per_pod;
    const std::uint32_t of_pod =
        std::min(shape_.groups_per_pod, shape_.groups() - pod * shape_.groups_per_pod);
    if (!drawn(pod, shape_.pods(), kPods)) return at({pods}, "", kNoPod);
    if (!drawn(group % shape_.groups_per_pod, of_pod, kGroups)) return at({groups_of_pod, pod}, "", pod);
    return std::nullopt;
  }

  std::size_t node_of_tor(const Vertex& tor) {
    const std::uint32_t group = shape_.group_of_tor(tor.index), pod = shape_.pod_of_tor(tor.index);
    if (const auto node = node_of_group(group)) return *node;
    if (!drawn(tor.index % shape_.tors_per_group, shape_.tors_per_group, kRails))
      return at({rails_of_group, group}, "", pod);
    return by_itself(tor, pod);
  }

  std::size_t node_in_host(const Vertex& part, std::uint32_t number) {
    const std::uint32_t group = shape_.group_of_host(number), pod = shape_.pod_of_host(number);
    if (const auto node = node_of_group(group)) return *node;
    const std::uint32_t first = group * shape_.hosts_per_group;
    const std::uint32_t of_group = std::min(shape_.hosts_per_group, shape_.hosts - first);
    if (!drawn(number - first, of_group, kHosts)) return at({hosts_of_group, group}, "", pod);
    if (number == 0 && shape_.gpus_per_host <= kPartsOfHost && shape_.nics_per_host <= kPartsOfHost)
      return by_itself(part, pod);
    return at({host, number}, fmt::format("host {}", number), pod);
  }

  std::string node_text(const char* indent, std::size_t number) const {
    const Node& node = nodes_[number];
    std::string label = node.name.empty() ? "more:" : node.name;
    const auto add = [&](VertexKind kind, const char* what) {
      const std::uint32_t held = node.holds[static_cast<std::size_t>(kind)];
      if (held > 0) label += fmt::format("\\n{} {}", held, what);
    };
    if (node.name.empty()) {
      add(VertexKind::nvswitch, "hosts");
      add(VertexKind::tor, "ToR switches");
      add(VertexKind::aggregation, "aggregation switches");
      add(VertexKind::spine, "spine switches");
    } else if (node.name.starts_with("host")) {
      add(VertexKind::gpu, "GPUs");
      add(VertexKind::nic, "NICs");
    }
    return fmt::format("{}n{} [label=\"{}\"{}];\n", indent, number, label,
                       node.name.empty() ? ", style=dashed" : "");
  }

  // In the units that each is sold by.
  static std::string edge_text(const Edge& edge) {
    const std::string number = edge.links > 1 ? fmt::format("{} x ", edge.links) : "";
    return edge.in_host ? fmt::format("{}{:.4g} GB/s", number, edge.bandwidth.value / 1e9)
                        : fmt::format("{}{:.4g} Gb/s", number, edge.bandwidth.value * 8 / 1e9);
  }

  const FabricShape& shape_;
  std::vector<Node> nodes_;
  std::map<Key, std::size_t> numbers_;
  std::map<std::pair<std::size_t, std::size_t>, Edge> edges_;
};

}  // namespace

std::string to_dot(const Topology& topology) { return Drawing(topology).text(); }

}  // namespace gauntlet
