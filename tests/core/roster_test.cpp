#include "core/roster.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace gauntlet {
namespace {

Inventory inventory(std::uint32_t job_hosts, std::uint32_t spares) {
  Inventory result;
  result.job_hosts = job_hosts;
  result.spares = spares;
  return result;
}

TEST(Roster, StartsWithTheJobsHosts) {
  const Roster roster(inventory(3, 2));
  for (std::uint32_t h = 0; h < 5; ++h) EXPECT_EQ(roster.in_job(HostId{h}), h < 3) << h;
}

TEST(Roster, FollowsASpareInAndTheFailedHostBack) {
  Roster roster(inventory(2, 1));
  roster.leave(HostId{0});
  roster.join(HostId{2});
  EXPECT_FALSE(roster.in_job(HostId{0}));
  EXPECT_TRUE(roster.in_job(HostId{1}));
  EXPECT_TRUE(roster.in_job(HostId{2}));
  roster.leave(HostId{2});
  roster.join(HostId{0});  // repaired, and a spare until now
  EXPECT_TRUE(roster.in_job(HostId{0}));
  EXPECT_FALSE(roster.in_job(HostId{2}));
}

// Against a set of hosts, driven by the same random operations, sensible or not (leaving twice, joining
// twice).
RC_GTEST_PROP(Roster, IsASetOfHosts, ()) {
  const auto job_hosts = *rc::gen::inRange<std::uint32_t>(1, 6);
  const std::uint32_t hosts = job_hosts + *rc::gen::inRange<std::uint32_t>(0, 4);
  Roster roster(inventory(job_hosts, hosts - job_hosts));
  std::set<std::uint32_t> model;
  for (std::uint32_t h = 0; h < job_hosts; ++h) model.insert(h);
  for (const bool joins : *rc::gen::container<std::vector<bool>>(40, rc::gen::arbitrary<bool>())) {
    const auto host = *rc::gen::inRange<std::uint32_t>(0, hosts);
    if (joins) {
      roster.join(HostId{host});
      model.insert(host);
    } else {
      roster.leave(HostId{host});
      model.erase(host);
    }
    for (std::uint32_t h = 0; h < hosts; ++h) RC_ASSERT(roster.in_job(HostId{h}) == model.contains(h));
  }
}

}  // namespace
}  // namespace gauntlet
