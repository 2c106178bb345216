#include "policies/seating.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gauntlet {
namespace {

// The simulator grants hosts the same way: the slot that fell vacant first is filled first.
TEST(Seating, FillsSlotsInTheOrderInWhichTheyFellVacant) {
  Seating seating(Inventory{.job_hosts = 4, .spares = 3, .layout = {}});
  seating.evict(HostId{3});
  seating.evict(HostId{1});
  EXPECT_FALSE(seating.host_in(3));
  EXPECT_FALSE(seating.in_job(HostId{3}) || seating.in_service(HostId{3}));
  seating.join(HostId{5});
  seating.join(HostId{4});
  EXPECT_EQ(seating.host_in(3), HostId{5});
  EXPECT_EQ(seating.slot_of(HostId{4}), 1U);
  EXPECT_EQ(seating.host_in(0), HostId{0});
  // A replacement is replaced by the host that was there first, repaired.
  seating.readmit(HostId{3});
  seating.evict(HostId{4});
  seating.join(HostId{3});
  EXPECT_EQ(seating.slot_of(HostId{3}), 1U);
  EXPECT_EQ(seating.host_in(1), HostId{3});
  EXPECT_EQ(seating.host_in(3), HostId{5});
}

// Host 4 was given slot 3 and evicted before that was heard of: the slot is vacant since then, and not since host 3 left.
TEST(Seating, ASlotWhoseHostCameAndWentWaitsFromThenOn) {
  Seating seating(Inventory{.job_hosts = 4, .spares = 4, .layout = {}});
  for (const std::uint32_t host : {3U, 1U, 4U, 2U}) seating.evict(HostId{host});
  seating.came_and_went(HostId{4});
  for (const std::uint32_t host : {5U, 6U, 7U}) seating.join(HostId{host});
  EXPECT_EQ(seating.host_in(1), HostId{5});
  EXPECT_EQ(seating.host_in(3), HostId{6});
  EXPECT_EQ(seating.host_in(2), HostId{7});
}

TEST(Seating, CountsTheHostsThatStandBy) {
  Seating seating(Inventory{.job_hosts = 4, .spares = 2, .layout = {}});
  EXPECT_EQ(seating.free_spares(), 2);
  seating.evict(HostId{0});
  EXPECT_EQ(seating.free_spares(), 1);  // one of them is spoken for
  seating.join(HostId{4});
  EXPECT_EQ(seating.free_spares(), 1);
  seating.evict(HostId{5});  // a spare that fails
  seating.evict(HostId{5});
  EXPECT_EQ(seating.free_spares(), 0);
  seating.evict(HostId{1});
  EXPECT_EQ(seating.free_spares(), -1);
  seating.readmit(HostId{0});
  seating.readmit(HostId{5});
  EXPECT_EQ(seating.free_spares(), 1);
}

// Two pipeline stages of four replicas, a host each: replica r sits in slots r and 4 + r.
TEST(Seating, OfASmallerJobLeavesNoSlotEmpty) {
  Seating seating(
      Inventory{.job_hosts = 8, .spares = 0, .gpus_per_host = 8, .layout = {.tp = 8, .pp = 2, .dp = 4}});
  EXPECT_EQ(seating.replicas_held(), 4U);
  seating.evict(HostId{2});
  seating.evict(HostId{6});
  EXPECT_EQ(seating.replicas_held(), 3U);
  EXPECT_EQ(seating.resize(3), std::vector<HostId>{});  // host 7 takes slot 2, and slot 6 is no more
  EXPECT_EQ(seating.inventory().job_hosts, 6U);
  EXPECT_EQ(seating.inventory().layout.dp, 3U);
  EXPECT_EQ(seating.host_in(2), HostId{7});
  EXPECT_EQ(seating.slot_of(HostId{7}), 2U);
  EXPECT_FALSE(seating.host_in(6) || seating.host_in(7));

  // One more is lost: of the five that are left one stands by.
  seating.evict(HostId{0});
  EXPECT_EQ(seating.replicas_held(), 2U);
  EXPECT_EQ(seating.resize(2), std::vector<HostId>{HostId{5}});
  EXPECT_EQ(seating.host_in(0), HostId{4});
  EXPECT_FALSE(seating.in_job(HostId{5}));
  EXPECT_EQ(seating.free_spares(), 1);
  EXPECT_EQ(seating.hosts_to_grow(), 0U);
  // It is the first to take the place of another one.
  seating.evict(HostId{3});
  seating.join(HostId{5});
  EXPECT_EQ(seating.host_in(3), HostId{5});
}

TEST(Seating, GrowsByWholeReplicas) {
  Seating seating(
      Inventory{.job_hosts = 8, .spares = 0, .gpus_per_host = 8, .layout = {.tp = 8, .pp = 2, .dp = 4}});
  for (const std::uint32_t host : {1U, 2U, 3U}) seating.evict(HostId{host});
  EXPECT_EQ(seating.resize(2), std::vector<HostId>{HostId{7}});
  seating.readmit(HostId{3});
  EXPECT_EQ(seating.hosts_to_grow(), 2U);
  seating.readmit(HostId{2});
  EXPECT_EQ(seating.hosts_to_grow(), 2U);
  seating.join(HostId{7});
  seating.join(HostId{3});
  EXPECT_TRUE(seating.in_job(HostId{3}));
  EXPECT_EQ(seating.replicas_held(), 3U);
  seating.evict(HostId{7});  // before it had a slot
  EXPECT_EQ(seating.replicas_held(), 2U);
  seating.join(HostId{2});
  EXPECT_EQ(seating.resize(3), std::vector<HostId>{});
  EXPECT_EQ(seating.host_in(4), HostId{3});
  EXPECT_EQ(seating.host_in(5), HostId{2});
}

// A host of eight GPUs holds two replicas of tensor-parallel groups of four: they come and go together.
TEST(Seating, CountsReplicasInWholeHosts) {
  Seating seating(
      Inventory{.job_hosts = 4, .spares = 0, .gpus_per_host = 8, .layout = {.tp = 4, .pp = 2, .dp = 4}});
  seating.evict(HostId{1});
  EXPECT_EQ(seating.replicas_held(), 2U);
  Seating shared(
      Inventory{.job_hosts = 3, .spares = 0, .gpus_per_host = 8, .layout = {.tp = 4, .pp = 2, .dp = 3}});
  EXPECT_EQ(shared.replicas_held(), 0U);
}

}  // namespace
}  // namespace gauntlet
