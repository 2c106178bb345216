// How far a stop has to travel: counted by ranges of slots, held against a walk over the layout's groups rank by rank.
#include "sim/hosts/seats.hpp"

#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <map>

namespace gauntlet {
namespace {

TEST(Seats, TheSlotsSoManyHopsAwayAreThoseThatSayTheyAre) {
  Stream draw({.study = 7}, stream_name("seats"));
  const auto one_of = [&](std::initializer_list<std::uint32_t> values) {
    return values.begin()[draw.below(values.size())];
  };
  for (int trial = 0; trial < 300; ++trial) {
    const Layout layout{.tp = one_of({1, 2, 4, 8, 16}),
                        .pp = one_of({1, 2, 3, 8}),
                        .dp = one_of({1, 2, 3, 6}),
                        .cp = one_of({1, 2})};
    const std::uint32_t gpus = one_of({1, 2, 4, 8});
    const std::uint32_t hosts = (layout.ranks() + gpus - 1) / gpus;
    SCOPED_TRACE("trial " + std::to_string(trial) + ": tp " + std::to_string(layout.tp) + " cp " +
                 std::to_string(layout.cp) + " dp " + std::to_string(layout.dp) + " pp " +
                 std::to_string(layout.pp) + ", " + std::to_string(gpus) + " GPUs a host");
    const Seats seats(layout, gpus, hosts, hosts + 3);
    for (std::uint32_t stage = 0, next = 0; stage < layout.pp; ++stage) {
      const SlotRange slots = seats.slots_of_stage(stage);
      EXPECT_EQ(slots.begin, next);
      next = slots.end;
      for (std::uint32_t slot = slots.begin; slot < slots.end; ++slot) EXPECT_EQ(seats.stage_of(slot), stage);
    }
    const auto culprit = static_cast<std::uint32_t>(draw.below(hosts));
    std::map<std::uint32_t, std::uint32_t> hops_of;  // by slot
    for (std::uint32_t hops = 1; hops <= seats.most_hops(culprit); ++hops) {
      for (const SlotRange& range : seats.slots_at(culprit, hops)) {
        for (std::uint32_t slot = range.begin; slot < range.end; ++slot) {
          EXPECT_TRUE(hops_of.emplace(slot, hops).second) << "slot " << slot << " twice";
        }
      }
    }
    ASSERT_EQ(hops_of.size(), hosts);
    for (const auto& [slot, hops] : hops_of) EXPECT_EQ(seats.hops(culprit, slot), hops) << "slot " << slot;
  }
}

TEST(Seats, WhoWaitsInWhatInA3DLayout) {
  // tp fills a host; 4 replicas, 3 stages: slot = stage * 4 + replica. The culprit is replica 1 of stage 1.
  const Seats seats({.tp = 8, .pp = 3, .dp = 4}, 8, 12, 12);
  EXPECT_EQ(seats.waits_in(5, 4), Dimension::data);      // the same stage
  EXPECT_EQ(seats.waits_in(5, 1), Dimension::pipeline);  // the same replica
  EXPECT_EQ(seats.waits_in(5, 9), Dimension::pipeline);
  EXPECT_EQ(seats.waits_in(5, 10), Dimension::data);  // for slot 9, which waits for 5
  EXPECT_EQ(seats.hops(5, 4), 1u);
  EXPECT_EQ(seats.hops(5, 9), 1u);
  EXPECT_EQ(seats.hops(5, 10), 2u);
  EXPECT_EQ(seats.hops(0, 11), 3u);
}

}  // namespace
}  // namespace gauntlet
