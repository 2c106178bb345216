// Data-parallel replicas are alike: a state is remembered by what is degraded, not by whose it is.
#include "core/contract.hpp"
#include "models/step/segments.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Calls `visit` with the slot of everything that a state names.
template <class State, class Visit>
void for_each_slot(State& state, Visit visit) {
  for (auto& seat : state.slow) visit(seat.slot);
  for (auto& seat : state.stalled) visit(seat.slot);
  for (auto& nic : state.network.nics) visit(nic.slot);
}

}  // namespace

ClusterState canonical(const ClusterState& state, const Layout& layout, std::uint32_t gpus_per_host) {
  expect(state.jitter == 0, "jitter tells replicas apart");
  // Ranks go tp, cp, dp, pp: a block is the least number of whole replicas that fills whole hosts. Expert-parallel groups
  // join neighbours, and switches hosts that are near.
  const std::uint32_t group = layout.tp * layout.cp;
  const std::uint32_t hosts = std::max(1u, group / gpus_per_host);  // of a block and stage
  const std::uint32_t replicas = std::max(1u, gpus_per_host / group);
  const bool whole = hosts * gpus_per_host == group * replicas && layout.dp % replicas == 0;
  if (!whole || layout.ep > 1 || !state.network.switches.empty()) return state;

  const std::uint32_t blocks = layout.dp / replicas;
  std::map<std::uint32_t, ClusterState> by_block;  // each part moved to the first block
  const auto sort_out = [&](const auto& list, auto of) {
    for (auto part : list) {
      const std::uint32_t block = part.slot / hosts % blocks;
      part.slot -= block * hosts;
      of(by_block[block]).push_back(part);
    }
  };
  sort_out(
      state.slow, [](ClusterState & part) -> auto& { return part.slow; });
  sort_out(
      state.stalled, [](ClusterState & part) -> auto& { return part.stalled; });
  sort_out(
      state.network.nics, [](ClusterState & part) -> auto& { return part.network.nics; });
  std::vector<ClusterState> parts;
  for (auto& [block, part] : by_block) parts.push_back(std::move(part));
  std::sort(parts.begin(), parts.end());

  ClusterState out;
  const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  for (std::uint32_t block = 0; block < parts.size(); ++block) {
    for_each_slot(parts[block], [&](std::uint32_t& slot) { slot += block * hosts; });
    append(out.slow, parts[block].slow);
    append(out.stalled, parts[block].stalled);
    append(out.network.nics, parts[block].network.nics);
  }
  return out;
}

}  // namespace gauntlet
