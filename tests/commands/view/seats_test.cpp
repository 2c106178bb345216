// Which host sits where, read off a record.
#include "commands/view/seats.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace gauntlet {
namespace {

using std::chrono::seconds;

class SmallRecord {
 public:
  void observe(seconds at, Observation what) { record.observations.push_back({kStart + at, what}); }
  void order(Action what) {
    record.orders.push_back({.at = record.observations.back().at,
                             .observations = static_cast<std::uint32_t>(record.observations.size()),
                             .order = {OrderId{record.orders.size() + 1}, what}});
  }
  Record record;
};

const Inventory kTwoHosts = {.job_hosts = 2,
                             .spares = 1,
                             .gpus_per_host = 8,
                             .hosts_per_tor = 1,
                             .layout = {.tp = 8, .pp = 1, .dp = 2}};

TEST(SeatsOfARecord, FollowAnEvictionAndASpare) {
  SmallRecord small;
  small.observe(seconds(0), Started{JobId{0}, kTwoHosts});
  small.observe(seconds(10), Noticed{});
  small.order(Evict{HostId{0}});
  small.observe(
      seconds(20),
      Outcome{.order = OrderId{2}, .status = Status::done, .took = {}, .result = Granted{HostId{2}}});
  small.observe(seconds(30), HostReturned{HostId{0}});
  small.order(Readmit{HostId{0}});
  const SeatLog log = seat_log_of(small.record, kTwoHosts);
  const std::vector<SeatChange> expected = {{kStart + seconds(10), 0, std::nullopt},
                                            {kStart + seconds(20), 0, HostId{2}}};
  EXPECT_EQ(log.seats, expected);
  using Slots = std::vector<std::optional<HostId>>;
  EXPECT_EQ(log.slots_before(kStart + seconds(10)), (Slots{HostId{0}, HostId{1}}));
  EXPECT_EQ(log.slots_before(kStart + seconds(11)), (Slots{std::nullopt, HostId{1}}));
  EXPECT_EQ(log.slots_before(kStart + seconds(21)), (Slots{HostId{2}, HostId{1}}));
  ASSERT_EQ(log.service.size(), 2U);
  EXPECT_TRUE(log.service[0].out);
  EXPECT_FALSE(log.service[1].out);
}

TEST(SeatsOfARecord, FollowAJobThatGoesOnWithFewerReplicas) {
  SmallRecord small;
  small.observe(seconds(0), Started{JobId{0}, kTwoHosts});
  small.order(Evict{HostId{0}});
  small.order(Start{.job = JobId{0}, .collective_timeout = seconds(1), .replicas = 1});
  const SeatLog log = seat_log_of(small.record, kTwoHosts);
  EXPECT_EQ(log.layout_before(kStart).dp, 2U);
  EXPECT_EQ(log.layout_before(kStart + seconds(1)).dp, 1U);
  // Host 1 is the one that is left: it moves into slot 0.
  EXPECT_EQ(log.slots_before(kStart + seconds(1))[0], HostId{1});
  EXPECT_EQ(log.slots_before(kStart + seconds(1))[1], std::nullopt);
}

}  // namespace
}  // namespace gauntlet
