#include "models/peer_memory.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace gauntlet {
namespace {

TEST(PeerMemory, AgreesWithGemini) {
  // Corollary 1: 1 - 16 C(14, 1) / (2 C(16, 3)) = 1 - 224 / 1120.
  EXPECT_NEAR(peer_recovery_probability(16, 2, 3), 0.8, 1e-15);
  EXPECT_EQ(peer_recovery_probability(16, 2, 0), 1);
  EXPECT_NEAR(peer_recovery_probability(16, 2, 1), 1, 1e-15);
  EXPECT_EQ(peer_recovery_probability(16, 1, 1), 0);
}

TEST(PeerMemory, AgreesWithEverySet) {
  for (const std::uint32_t hosts : {5U, 12U, 13U})
    for (const std::uint32_t copies : {1U, 2U, 3U, 5U})
      for (std::uint32_t lost = 0; lost <= hosts; ++lost) {
        double sets = 0, recovered = 0;
        for (std::uint32_t set = 0; set < 1U << hosts; ++set) {
          if (static_cast<std::uint32_t>(std::popcount(set)) != lost) continue;
          std::vector<std::uint32_t> slots;
          for (std::uint32_t slot = 0; slot < hosts; ++slot)
            if ((set >> slot & 1) != 0) slots.push_back(slot);
          ++sets;
          if (peers_recover(hosts, copies, slots)) ++recovered;
        }
        EXPECT_NEAR(peer_recovery_probability(hosts, copies, lost), recovered / sets, 1e-13)
            << hosts << " hosts, " << copies << " copies, " << lost << " lost";
      }
}

TEST(PeerMemory, NeedsOneHostOfEachGroup) {
  const std::vector<std::uint32_t> apart = {1, 2}, together = {2, 3}, last = {4};
  EXPECT_TRUE(peers_recover(5, 2, apart));
  EXPECT_FALSE(peers_recover(5, 2, together));
  EXPECT_FALSE(peers_recover(5, 2, last));  // its group is it alone
}

}  // namespace
}  // namespace gauntlet
