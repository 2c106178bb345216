#include "policies/checkpoint/checkpoint_count.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

std::uint32_t most_between(const CheckpointCount& taken, Duration then, Duration now) {
  return taken.most_since(kStart + then, kStart + now);
}

// Of periodic checkpoints, k intervals hold k at most: one that was taken at the time itself is none of those since.
TEST(CheckpointCount, IsOneForEachIntervalThatBegan) {
  CheckpointCount taken;
  taken.on(kStart, CheckpointEvery{JobId{0}, 10min});
  EXPECT_EQ(most_between(taken, 60min, 60min), 0u);
  EXPECT_EQ(most_between(taken, 60min, 60min + 1ns), 1u);
  EXPECT_EQ(most_between(taken, 60min, 70min), 1u);
  EXPECT_EQ(most_between(taken, 60min, 70min + 1ns), 2u);
  EXPECT_EQ(most_between(taken, 60min, 90min), 3u);
}

TEST(CheckpointCount, GoesByTheIntervalThatHeldAtEachTime) {
  CheckpointCount taken;
  taken.on(kStart, CheckpointEvery{JobId{0}, 10min});
  taken.on(kStart + 60min, CheckpointEvery{JobId{0}, 30min});
  EXPECT_EQ(most_between(taken, 70min, 120min), 2u);  // the later alone
  EXPECT_EQ(most_between(taken, 30min, 60min), 3u);   // the earlier
  EXPECT_EQ(most_between(taken, 30min, 120min), 3u + 2u);
}

TEST(CheckpointCount, CountsThoseThatWereOrderedOneByOneAndNoneOfOtherTiers) {
  CheckpointCount taken;
  taken.on(kStart, CheckpointEvery{JobId{0}, 10min, Tier::memory});
  EXPECT_EQ(most_between(taken, 0s, 100min), 0u);
  taken.on(kStart + 20min, Checkpoint{JobId{0}});
  taken.on(kStart + 40min, Checkpoint{JobId{0}});
  EXPECT_EQ(most_between(taken, 0s, 100min), 2u);
  EXPECT_EQ(most_between(taken, 20min, 100min), 1u);
}

TEST(CheckpointCount, IsOneWhereTheyAreTakenForEverApart) {
  CheckpointCount taken;
  taken.on(kStart, CheckpointEvery{JobId{0}, kForever});
  EXPECT_EQ(most_between(taken, 0s, 1000h), 1u);
}

}  // namespace
}  // namespace gauntlet
