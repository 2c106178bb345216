#include "policies/diagnose/hang_localisation.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
using Answers = std::vector<std::optional<Dimension>>;

/// The slots that hold ranks of a group, ascending.
std::vector<std::uint32_t> slots_of(const Inventory& inventory, Dimension dimension, std::uint32_t group) {
  std::vector<std::uint32_t> slots;
  for (const std::uint32_t rank : inventory.layout.ranks_of_group(dimension, group))
    slots.push_back(seat_of_rank(rank, inventory.gpus_per_host).slot);
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

/// The groups of that dimension which a slot takes part in. The tensor-parallel ranks of one host are in groups of the same
/// hosts: one of them is enough.
std::vector<std::uint32_t> groups_of(const Inventory& inventory, Dimension dimension, std::uint32_t slot) {
  const std::uint32_t per_host = inventory.gpus_per_host, tp = inventory.layout.tp;
  const bool whole = dimension != Dimension::tensor && per_host % tp == 0;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t gpu = 0; gpu < per_host; gpu += whole ? tp : 1) {
    const std::uint32_t rank = rank_of_seat({slot, gpu}, per_host);
    if (rank < inventory.layout.ranks()) groups.push_back(inventory.layout.group_of(rank, dimension));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

/// Vertices are the slots, and after them the groups in which somebody waits: slot -> group -> the slots that hold it up. So
/// its edges grow with the ranks, not with the pairs of them.
Graph waits_for(const Inventory& inventory, const Answers& answers) {
  Graph graph(answers.size());
  std::map<std::pair<Dimension, std::uint32_t>, std::optional<Graph::vertex_descriptor>> vertices;
  for (std::uint32_t slot = 0; slot < answers.size(); ++slot) {
    if (!answers[slot]) continue;
    for (const std::uint32_t group : groups_of(inventory, *answers[slot], slot)) {
      const auto [place, fresh] = vertices.try_emplace({*answers[slot], group});
      if (fresh) {
        for (const std::uint32_t other : slots_of(inventory, *answers[slot], group)) {
          if (answers[other] == answers[slot]) continue;
          if (!place->second) place->second = add_vertex(graph);
          add_edge(*place->second, other, graph);
        }
      }
      if (place->second) add_edge(slot, *place->second, graph);
    }
  }
  return graph;
}

}  // namespace

std::vector<std::uint32_t> slots_waited_for(const Inventory& inventory, const Answers& answers) {
  const Graph graph = waits_for(inventory, answers);
  std::vector<std::size_t> component(num_vertices(graph));
  const std::size_t components = boost::strong_components(graph, component.data());
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
