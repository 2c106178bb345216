#include "policies/seating.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace gauntlet
