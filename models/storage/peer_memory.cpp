#include "models/storage/peer_memory.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

bool peers_recover(std::uint32_t hosts, std::uint32_t copies, std::span<const std::uint32_t> slots) {
  expect(copies > 0, "the state is somewhere");
  const std::uint32_t groups = peer_groups(hosts, copies);
  std::vector<std::uint32_t> lost;  // a group each
  for (const std::uint32_t slot : slots) lost.push_back(slot % groups);
  std::sort(lost.begin(), lost.end());
  for (auto first = lost.begin(); first != lost.end();) {
    const auto next = std::upper_bound(first, lost.end(), *first);
    const std::uint32_t size = hosts / groups + (*first < hosts % groups ? 1 : 0);
    if (next - first == size) return false;
    first = next;
  }
  return true;
}

}  // namespace gauntlet
