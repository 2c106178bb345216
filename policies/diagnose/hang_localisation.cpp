#include "policies/diagnose/hang_localisation.hpp"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet {
namespace {

using Graph = boost::compressed_sparse_row_graph<boost::directedS>;
using Answers = std::vector<std::optional<Dimension>>;

/// The slots that hold ranks of a group, each as often as it holds some.
std::vector<std::uint32_t> slots_of(const Inventory& inventory, Dimension dimension, std::uint32_t group) {
  std::vector<std::uint32_t> slots = inventory.layout.ranks_of_group(dimension, group);
  for (std::uint32_t& each : slots) each = seat_of_rank(each, inventory.gpus_per_host).slot;
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

/// The groups of that dimension which a slot takes part in. The tensor-parallel ranks of one host are in groups of the same
/// hosts: one of them is enough.
void find_groups(const Inventory& inventory, Dimension dimension, std::uint32_t slot,
                 std::vector<std::uint32_t>& groups) {
  const std::uint32_t per_host = inventory.gpus_per_host, tp = inventory.layout.tp;
  const bool whole = dimension != Dimension::tensor && per_host % tp == 0;
  groups.clear();
  for (std::uint32_t gpu = 0; gpu < per_host; gpu += whole ? tp : 1) {
    const std::uint32_t rank = rank_of_seat({slot, gpu}, per_host);
    if (rank < inventory.layout.ranks()) groups.push_back(inventory.layout.group_of(rank, dimension));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
}

/// Vertices are the slots, and after them the groups in which somebody waits: slot -> group -> the slots that hold it up. So
/// its edges grow with the ranks, not with the pairs of them.
Graph waits_for(const Inventory& inventory, const Answers& answers) {
  constexpr std::uint32_t kNew = ~0U, kNobody = kNew - 1;         // not looked at; held up by nobody
  std::array<std::vector<std::uint32_t>, kDimensions> vertex_of;  // by dimension and group
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  std::vector<std::uint32_t> groups;
  auto vertices = static_cast<std::uint32_t>(answers.size());
  for (std::uint32_t slot = 0; slot < answers.size(); ++slot) {
    if (!answers[slot]) continue;
    auto& of_dimension = vertex_of[static_cast<std::size_t>(*answers[slot])];
    if (of_dimension.empty()) of_dimension.assign(inventory.layout.groups(*answers[slot]), kNew);
    find_groups(inventory, *answers[slot], slot, groups);
    for (const std::uint32_t group : groups) {
      std::uint32_t& vertex = of_dimension[group];
      if (vertex == kNew) {
        vertex = kNobody;
        for (const std::uint32_t other : slots_of(inventory, *answers[slot], group)) {
          if (answers[other] == answers[slot]) continue;
          if (vertex == kNobody) vertex = vertices++;
          edges.emplace_back(vertex, other);
        }
      }
      if (vertex != kNobody) edges.emplace_back(slot, vertex);
    }
  }
  return {boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(), vertices};
}

}  // namespace

std::vector<std::uint32_t> slots_waited_for(const Inventory& inventory, const Answers& answers) {
  const Graph graph = waits_for(inventory, answers);
  std::vector<std::size_t> component(num_vertices(graph));
  const std::size_t components = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));
  std::vector<char> entered(components), left(components);
  for (std::size_t vertex = 0; vertex < component.size(); ++vertex) {
    const auto [begin, end] = adjacent_vertices(vertex, graph);
    for (auto next = begin; next != end; ++next) {
      if (component[vertex] == component[*next]) continue;
      left[component[vertex]] = 1;
      entered[component[*next]] = 1;
    }
  }
  std::vector<std::uint32_t> found;
  for (const bool silent : {true, false}) {
    for (std::uint32_t slot = 0; slot < answers.size(); ++slot) {
      if (answers[slot].has_value() == silent) continue;
      if (entered[component[slot]] != 0 && left[component[slot]] == 0) found.push_back(slot);
    }
  }
  return found;
}

}  // namespace gauntlet
