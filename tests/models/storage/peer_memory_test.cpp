#include "models/storage/peer_memory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

// Slots 0, 2 and 4 hold the same, and so do 1 and 3.
TEST(PeerMemory, NeedsOneHostOfEachGroup) {
  const std::vector<std::uint32_t> some = {0, 1, 2}, one_group = {1, 3}, other = {0, 2, 4},
                                   all = {4, 3, 2, 1, 0};
  EXPECT_TRUE(peers_recover(5, 2, some));
  EXPECT_FALSE(peers_recover(5, 2, one_group));
  EXPECT_FALSE(peers_recover(5, 2, other));
  EXPECT_FALSE(peers_recover(5, 2, all));
  EXPECT_TRUE(peers_recover(5, 2, {}));
}

TEST(PeerMemory, OutlivesAnyDomainOfNeighbours) {
  for (const std::uint32_t hosts : {16U, 17U, 64U})
    for (const std::uint32_t copies : {2U, 3U})
      for (std::uint32_t first = 0; first < hosts; ++first) {
        std::vector<std::uint32_t> domain;
        for (std::uint32_t slot = first; slot < std::min(hosts, first + hosts / copies); ++slot)
          domain.push_back(slot);
        EXPECT_TRUE(peers_recover(hosts, copies, domain))
            << hosts << " hosts, " << copies << " copies, from " << first;
      }
}

}  // namespace
}  // namespace gauntlet
