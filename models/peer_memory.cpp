#include "models/peer_memory.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {

bool peers_recover(std::uint32_t hosts, std::uint32_t copies, std::span<const std::uint32_t> slots) {
  expect(copies > 0, "the state is somewhere");
  for (std::size_t i = 0; i < slots.size();) {
    const std::uint32_t group = slots[i] / copies;
    const std::uint32_t size = std::min(copies, hosts - group * copies);
    std::uint32_t gone = 0;
    for (; i < slots.size() && slots[i] / copies == group; ++i) ++gone;
    if (gone == size) return false;
  }
  return true;
}

double peer_recovery_probability(std::uint32_t hosts, std::uint32_t copies, std::uint32_t lost) {
  expect(copies > 0 && lost <= hosts, "some of the hosts are lost");
  // One host after the other: of `left` hosts `still` are lost, each as likely as any. By how many of those so far are lost, and
  // by how many of the present group, which must not become all of it.
  std::vector<double> groups_before(lost + 1, 0);
  groups_before[0] = 1;
  std::vector<std::vector<double>> within(lost + 1, std::vector<double>(copies));
  for (std::uint32_t first = 0; first < hosts; first += copies) {
    const std::uint32_t size = std::min(copies, hosts - first);
    for (std::uint32_t j = 0; j <= lost; ++j) {
      std::ranges::fill(within[j], 0);
      within[j][0] = groups_before[j];
    }
    for (std::uint32_t host = first; host < first + size; ++host) {
      const double left = hosts - host;
      for (std::uint32_t j = std::min(lost, host) + 1; j-- > 0;) {
        const double goes = std::min(1.0, (lost - j) / left);
        for (std::uint32_t gone = std::min(size, copies); gone-- > 0;) {
          const double here = within[j][gone];
          within[j][gone] = here * (1 - goes);
          if (j < lost && gone + 1 < size) within[j + 1][gone + 1] += here * goes;
        }
      }
    }
    for (std::uint32_t j = 0; j <= lost; ++j) {
      groups_before[j] = 0;
      for (const double each : within[j]) groups_before[j] += each;
    }
  }
  return groups_before[lost];
}

}  // namespace gauntlet
