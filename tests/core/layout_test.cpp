#include "core/layout.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace gauntlet {
namespace {

const std::vector<Layout> kLayouts{
    {},
    {.tp = 3, .pp = 5, .dp = 7},
    {.tp = 8,
     .pp = 16,
     .dp = 128,
     .virtual_stages = 8},  // Llama 3 405B, https://arxiv.org/abs/2407.21783, table 4
    {.tp = 8,
     .pp = 8,
     .dp = 192,
     .virtual_stages = 6},  // MegaScale 175B, https://arxiv.org/abs/2402.15627, table 2
};

TEST(Layout, CountsRanks) {
  EXPECT_EQ(Layout{}.ranks(), 1u);
  EXPECT_EQ(kLayouts[1].ranks(), 105u);
  EXPECT_EQ(kLayouts[2].ranks(), 16'384u);
  EXPECT_EQ(kLayouts[3].ranks(), 12'288u);
}

TEST(Layout, OrdersTensorThenDataThenPipeline) {
  const Layout layout{.tp = 2, .pp = 2, .dp = 3};
  const std::vector<Coordinates> expected{
      {.tp = 0, .dp = 0, .pp = 0}, {.tp = 1, .dp = 0, .pp = 0}, {.tp = 0, .dp = 1, .pp = 0},
      {.tp = 1, .dp = 1, .pp = 0}, {.tp = 0, .dp = 2, .pp = 0}, {.tp = 1, .dp = 2, .pp = 0},
      {.tp = 0, .dp = 0, .pp = 1}, {.tp = 1, .dp = 0, .pp = 1}, {.tp = 0, .dp = 1, .pp = 1},
      {.tp = 1, .dp = 1, .pp = 1}, {.tp = 0, .dp = 2, .pp = 1}, {.tp = 1, .dp = 2, .pp = 1}};
  ASSERT_EQ(layout.ranks(), expected.size());
  for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank)
    EXPECT_EQ(layout.coordinates(rank), expected[rank]);
}

TEST(Layout, EveryRankHasItsOwnCoordinatesAndBack) {
  for (const Layout& layout : kLayouts) {
    std::vector<bool> seen(layout.ranks());
    for (std::uint32_t pp = 0; pp < layout.pp; ++pp)
      for (std::uint32_t dp = 0; dp < layout.dp; ++dp)
        for (std::uint32_t tp = 0; tp < layout.tp; ++tp) {
          const Coordinates at{.tp = tp, .dp = dp, .pp = pp};
          const std::uint32_t rank = layout.rank(at);
          ASSERT_LT(rank, layout.ranks());
          EXPECT_FALSE(seen[rank]);
          seen[rank] = true;
          EXPECT_EQ(layout.coordinates(rank), at);
        }
  }
}

TEST(Layout, AGroupIsTheRanksThatDifferInItsDimensionAlone) {
  const Layout layout{.tp = 2, .pp = 2, .dp = 3};
  EXPECT_EQ(layout.ranks_of_group(Dimension::tensor, 1), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(layout.ranks_of_group(Dimension::data, 1), (std::vector<std::uint32_t>{1, 3, 5}));
  EXPECT_EQ(layout.ranks_of_group(Dimension::pipeline, 1), (std::vector<std::uint32_t>{1, 7}));
  for (const Layout& each : kLayouts)
    for (const std::uint32_t rank : {0U, each.ranks() / 2, each.ranks() - 1}) {
      const Coordinates at = each.coordinates(rank);
      for (const std::uint32_t other :
           each.ranks_of_group(Dimension::pipeline, each.group_of(rank, Dimension::pipeline)))
        EXPECT_EQ(each.coordinates(other),
                  (Coordinates{.tp = at.tp, .dp = at.dp, .pp = each.coordinates(other).pp}));
    }
}

TEST(Seat, RanksFillHostsInOrder) {
  EXPECT_EQ(seat_of_rank(0, 8), (Seat{.slot = 0, .gpu = 0}));
  EXPECT_EQ(seat_of_rank(7, 8), (Seat{.slot = 0, .gpu = 7}));
  EXPECT_EQ(seat_of_rank(8, 8), (Seat{.slot = 1, .gpu = 0}));
  EXPECT_EQ(seat_of_rank(16'383, 8), (Seat{.slot = 2047, .gpu = 7}));
}

TEST(Seat, EveryRankHasItsOwnSeatAndBack) {
  for (const Layout& layout : kLayouts)
    for (const std::uint32_t gpus_per_host : {1u, 4u, 8u}) {
      std::set<std::pair<std::uint32_t, std::uint32_t>> seats;
      for (std::uint32_t rank = 0; rank < layout.ranks(); ++rank) {
        const Seat seat = seat_of_rank(rank, gpus_per_host);
        EXPECT_LT(seat.gpu, gpus_per_host);
        EXPECT_EQ(rank_of_seat(seat, gpus_per_host), rank);
        EXPECT_TRUE(seats.emplace(seat.slot, seat.gpu).second);
      }
    }
}

TEST(Seat, TensorGroupsOfEightShareAHost) {
  const Layout& layout = kLayouts[2];
  for (std::uint32_t pp = 0; pp < layout.pp; ++pp)
    for (std::uint32_t dp = 0; dp < layout.dp; ++dp) {
      const std::uint32_t slot = seat_of_rank(layout.rank({.tp = 0, .dp = dp, .pp = pp}), 8).slot;
      EXPECT_EQ(slot, dp + layout.dp * pp);
      for (std::uint32_t tp = 1; tp < layout.tp; ++tp)
        EXPECT_EQ(seat_of_rank(layout.rank({.tp = tp, .dp = dp, .pp = pp}), 8).slot, slot);
    }
}

TEST(LayoutDeathTest, RefusesWhatIsNotInIt) {
  const Layout layout{.tp = 2, .pp = 2, .dp = 3};
  EXPECT_DEATH((void)layout.coordinates(12), "rank is in the layout");
  EXPECT_DEATH((void)layout.rank({.tp = 2, .dp = 0, .pp = 0}), "coordinates are in the layout");
  EXPECT_DEATH((void)layout.rank({.tp = 0, .dp = 3, .pp = 0}), "coordinates are in the layout");
  EXPECT_DEATH((void)layout.rank({.tp = 0, .dp = 0, .pp = 2}), "coordinates are in the layout");
}

}  // namespace
}  // namespace gauntlet
