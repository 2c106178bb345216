// Who waits for whom: small jobs by hand, and what must hold in every layout.
#include "commands/view/spread.hpp"

#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::optional<Dimension> kNobody = std::nullopt;

TEST(SpreadOfAStop, GoesThroughTheReplicaFirstAndThenToTheOthers) {
  // Ranks: tp fastest, then dp, then pp. Rank 0 stands still. Rank 1 is its tensor-parallel peer and rank 4 the next stage. Rank 5 is the
  // peer of rank 4. The other replica (2, 3, 6, 7) waits when gradients are summed.
  const std::vector<WaitingRank> expected = {
      {0, kNobody},         {1, Dimension::tensor},   {3, Dimension::data},
      {3, Dimension::data}, {1, Dimension::pipeline}, {2, Dimension::tensor},
      {3, Dimension::data}, {3, Dimension::data}};
  EXPECT_EQ(spread_of({.tp = 2, .pp = 2, .dp = 2}, std::vector<std::uint32_t>{0}), expected);
}

TEST(SpreadOfAStop, MeetsContextAndExpertGroupsWithinALayer) {
  const std::vector<std::uint32_t> first = {0};
  const std::vector<WaitingRank> context = {
      {0, kNobody}, {1, Dimension::context}, {2, Dimension::data}, {2, Dimension::data}};
  EXPECT_EQ(spread_of({.dp = 2, .cp = 2}, first), context);
  const std::vector<WaitingRank> expert = {
      {0, kNobody}, {1, Dimension::expert}, {2, Dimension::data}, {2, Dimension::data}};
  EXPECT_EQ(spread_of({.dp = 4, .ep = 2}, first), expert);
}

TEST(SpreadOfAStop, WalksThePipelineStageByStage) {
  const std::vector<WaitingRank> line = {
      {1, Dimension::pipeline}, {0, kNobody}, {1, Dimension::pipeline}, {2, Dimension::pipeline}};
  EXPECT_EQ(spread_of({.pp = 4}, std::vector<std::uint32_t>{1}), line);
  // With two chunks per rank the last stage sends its first chunk to the first stage.
  const std::vector<WaitingRank> ring = {
      {0, kNobody}, {1, Dimension::pipeline}, {2, Dimension::pipeline}, {1, Dimension::pipeline}};
  EXPECT_EQ(spread_of({.pp = 4, .virtual_stages = 2}, std::vector<std::uint32_t>{0}), ring);
}

TEST(SpreadOfAStop, StartsFromEveryCulprit) {
  const std::vector<WaitingRank> two = {
      {0, kNobody}, {1, Dimension::pipeline}, {1, Dimension::pipeline}, {0, kNobody}};
  EXPECT_EQ(spread_of({.pp = 4}, std::vector<std::uint32_t>{0, 3}), two);
  const std::vector<WaitingRank> nobody(4);
  EXPECT_EQ(spread_of({.pp = 4}, std::vector<std::uint32_t>{}), nobody);
}

TEST(SpreadOfAStop, EveryRankWaitsForOneThatStoppedBefore) {
  Stream random({.study = 1, .replica = 0}, stream_name("spread_test"));
  const auto up_to = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random.below(most)); };
  for (int i = 0; i < 200; ++i) {
    Layout layout = {
        .tp = up_to(4), .pp = up_to(5), .dp = up_to(6), .virtual_stages = up_to(2), .cp = up_to(3)};
    layout.ep = layout.dp % 2 == 0 ? up_to(2) : 1;
    std::vector<std::uint32_t> culprits = {up_to(layout.ranks()) - 1};
    SCOPED_TRACE("layout " + std::to_string(i));
    const std::vector<WaitingRank> ranks = spread_of(layout, culprits);
    ASSERT_EQ(ranks.size(), layout.ranks());
    for (std::uint32_t rank = 0; rank < ranks.size(); ++rank) {
      ASSERT_TRUE(ranks[rank].wave);  // all are held up: groups join them
      EXPECT_EQ(*ranks[rank].wave == 0, rank == culprits[0]);
      if (*ranks[rank].wave == 0) continue;
      const auto group = layout.ranks_of_group(*ranks[rank].in, layout.group_of(rank, *ranks[rank].in));
      EXPECT_TRUE(std::ranges::any_of(
          group, [&](std::uint32_t other) { return *ranks[other].wave < *ranks[rank].wave; }))
          << "rank " << rank;
    }
  }
}

}  // namespace
}  // namespace gauntlet
