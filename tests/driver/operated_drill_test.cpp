// What operators of a drill are told, and how it says that it stands: also after a takeover, and when its driver fails.
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

struct OperatedDrills : testing::Test {
  OperatedDrills() {
    world.inventory = {
        .job_hosts = 2, .spares = 1, .gpus_per_host = 1, .layout = {.tp = 1, .pp = 2, .dp = 1}};
    world.job.layout = world.inventory.layout;
    world.job.step_time = 1s;
    world.repair.time = Law::constant(3600);
    world.people.response = Law::constant(3600);
    world.drill.lease = 10min;
    setup.directory = place.path().string();
    setup.started_ns = monotonic_ns() - std::chrono::nanoseconds(1min).count();
    setup.seed = {.study = 1, .replica = 0};
    setup.desk = &desk;
  }

  static void hear_all(RealCluster& cluster) {
    while (cluster.next(kStart)) {
    }
  }
  OperatorReply& ask(const OperatorRequest& request) {
    OperatorReply& reply = replies.emplace_back();
    desk.post(request, [&reply](const OperatorReply& said) { reply = said; });
    return reply;
  }
  /// By label.
  std::map<std::string, std::string> status(RealCluster& cluster) {
    const OperatorReply& reply = ask({.verb = OperatorVerb::status});
    hear_all(cluster);
    std::map<std::string, std::string> rows;
    for (const auto& row : reply.rows) rows[row.at(0)] = row.at(1);
    return rows;
  }
  std::string state_of(RealCluster& cluster, std::uint32_t host) {
    const OperatorReply& reply = ask({.verb = OperatorVerb::hosts});
    hear_all(cluster);
    return reply.rows.at(host + 1).at(1);
  }

  const Scratch place;
  StandIns platform;
  World world;
  OperatorDesk desk;
  DrillSetup setup;
  const Record nothing;
  std::deque<OperatorReply> replies;
};

TEST_F(OperatedDrills, ATakeoverCountsIncidentsAndDetectionsOnce) {
  world.faults.push_back({.name = "crash"});
  setup.plan = {{.at = kStart + 10s, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 0}}};
  {
    Journal journal(setup.directory + "/journal");
    for (const JournalStep step : {JournalStep::armed, JournalStep::began, JournalStep::observed})
      journal.write({step, 0, kStart + 10s});
  }
  Record so_far;
  so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
  so_far.observations.push_back({kStart + 2s, HostReturned{HostId{2}}});
  so_far.orders.push_back({kStart + 2s, 2, {OrderId{1}, Stop{JobId{0}, StopReason::fault}}});  // still open
  setup.epoch = 2;
  RealCluster cluster(world, setup, so_far, platform);
  auto rows = status(cluster);
  EXPECT_EQ(rows["incidents"], "1");
  EXPECT_EQ(rows["injected faults"], "1 of 1");
  EXPECT_EQ(rows.count("detection latency"), 0U) << "the job was stopped 8 s before that fault";
  cluster.start({OrderId{2}, Stop{JobId{0}, StopReason::fault}});
  rows = status(cluster);
  EXPECT_EQ(rows["incidents"], "2");
  ASSERT_EQ(rows.count("detection latency"), 1U);
  EXPECT_NE(rows["detection latency"].front(), '-');
}

TEST_F(OperatedDrills, AHostThatIsInRepairDoesNotLeaveOnceMore) {
  world.operators = {{.name = "late", .at = kStart, .host = HostId{2}, .reason = ""}};
  RealCluster cluster(world, setup, nothing, platform);
  cluster.start({OrderId{1}, Evict{HostId{2}}});
  EXPECT_EQ(state_of(cluster, 2), "in repair");
}

TEST_F(OperatedDrills, AnAnswerIsConfirmedOnceItIsInTheRecord) {
  RealCluster cluster(world, setup, nothing, platform);
  hear_all(cluster);
  cluster.start({OrderId{1}, Ask{JobId{0}}});
  const OperatorReply& reply = ask({.verb = OperatorVerb::answer, .host = HostId{1}});
  const std::optional<Observed> seen = cluster.next(kStart);
  ASSERT_TRUE(seen && std::holds_alternative<Outcome>(seen->what));
  EXPECT_EQ(std::get<Answered>(std::get<Outcome>(seen->what).result).choice, HostId{1});
  EXPECT_FALSE(reply.done);
  EXPECT_EQ(reply.text, "");
  hear_all(cluster);
  EXPECT_TRUE(reply.done);
}

// Its driver could not write it down.
TEST_F(OperatedDrills, AnActionThatNobodyWroteDownIsNotConfirmed) {
  const OperatorReply* reply = nullptr;
  {
    RealCluster cluster(world, setup, nothing, platform);
    hear_all(cluster);
    reply = &ask({.verb = OperatorVerb::evict, .host = HostId{1}});
    ASSERT_TRUE(cluster.next(kStart));
  }
  EXPECT_FALSE(reply->done);
  EXPECT_NE(reply->text, "");
}

TEST_F(OperatedDrills, AnActionIsConfirmedWithTheFirstOrderThatAnswersIt) {
  RealCluster cluster(world, setup, nothing, platform);
  hear_all(cluster);
  const OperatorReply& reply = ask({.verb = OperatorVerb::evict, .host = HostId{2}});
  ASSERT_TRUE(cluster.next(kStart));
  EXPECT_FALSE(reply.done);
  cluster.start({OrderId{1}, Evict{HostId{2}}});
  EXPECT_TRUE(reply.done);
}

TEST_F(OperatedDrills, TheLastStatusIsThatOfTheEnd) {
  world.job.window = 1min + 300ms;
  std::uint32_t reports = 0;
  setup.on_status = [&](const DrillStatus&) { ++reports; };
  RealCluster cluster(world, setup, nothing, platform);
  hear_all(cluster);
  bool over = false;
  std::uint32_t before = 0;
  while (!over) {
    before = reports;  // the end is noticed and reported in one call where the drill was idle
    const std::optional<Observed> seen = cluster.next(kNever);
    ASSERT_TRUE(seen);
    over = std::holds_alternative<Finished>(seen->what);
  }
  EXPECT_GT(reports, before);
}

// The driver misses heartbeats itself: no agent is told of them, also at a start, when hosts of a stage may be others.
TEST_F(OperatedDrills, NoAgentIsToldOfAWatchForHeartbeats) {
  std::vector<Signal> told;
  platform.told = [&](const DriverMessage& message) {
    if (const auto* watch = std::get_if<DriverWatch>(&message))
      told.push_back(std::get<Watch>(watch->order.what).signal);
  };
  RealCluster cluster(world, setup, nothing, platform);
  const Scope stage = Scope::hosts_of_stage(JobId{0}, 0);
  cluster.start(
      {OrderId{1}, Watch{.id = WatchId{1}, .signal = Signal::heartbeat, .who = stage, .until = Silence{1h}}});
  cluster.start(
      {OrderId{2}, Watch{.id = WatchId{2}, .signal = Signal::step, .who = stage, .until = Silence{1h}}});
  hear_all(cluster);
  EXPECT_EQ(told, std::vector{Signal::step});
  cluster.start({OrderId{3}, Start{JobId{0}, 10s}});
  EXPECT_EQ(told, (std::vector{Signal::step, Signal::step}));
}

}  // namespace
}  // namespace gauntlet
