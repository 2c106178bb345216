#include "core/reseat.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

HostId same(std::uint32_t slot) { return HostId{slot}; }

TEST(Reseat, FillsEmptySlotsFromThoseThatAreNoMore) {
  // Slots 6 to 8 go; 7 was empty already, and 4 and 1 are.
  const Reseating moved = reseat(9, 6, {4, 7, 1}, {}, same);
  EXPECT_THAT(moved.seated, ElementsAre(Pair(1, HostId{6}), Pair(4, HostId{8})));
  EXPECT_THAT(moved.vacant, IsEmpty());
  EXPECT_THAT(moved.left, IsEmpty());
}

TEST(Reseat, LeavesHostsThatFindNoSlot) {
  const Reseating moved = reseat(8, 6, {2}, {HostId{20}}, same);
  EXPECT_THAT(moved.seated, ElementsAre(Pair(2, HostId{6})));
  EXPECT_THAT(moved.left, ElementsAre(HostId{7}, HostId{20}));
}

TEST(Reseat, GrowsIntoNewSlotsAfterTheEmptyOnes) {
  const Reseating moved = reseat(4, 8, {3}, {HostId{9}, HostId{12}, HostId{10}}, same);
  EXPECT_THAT(moved.seated, ElementsAre(Pair(3, HostId{9}), Pair(4, HostId{12}), Pair(5, HostId{10})));
  EXPECT_THAT(moved.vacant, ElementsAre(6u, 7u));
}

TEST(Reseat, SeatsThoseBeyondTheSlotsWhereTheSizeIsTheSame) {
  const Reseating moved = reseat(4, 4, {2, 0}, {HostId{9}, HostId{5}}, same);
  EXPECT_THAT(moved.seated, ElementsAre(Pair(0, HostId{9}), Pair(2, HostId{5})));
}

}  // namespace
}  // namespace gauntlet
