// Agents that obey and never answer: each kind of order has its outcome all the same.
#include "core/record/codec.hpp"
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <variant>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

struct OrderDeadlines : testing::Test {
  OrderDeadlines() {
    world.inventory = {
        .job_hosts = 2, .spares = 1, .gpus_per_host = 1, .layout = {.tp = 1, .pp = 2, .dp = 1}};
    world.job.layout = world.inventory.layout;
    world.job.step_time = 1s;
    world.repair.time = Law::constant(3600);
    world.people.response = Law::constant(0.01);
    world.drill.lease = 10min;
    world.probes = {{.name = "host_check", .time = 1ms, .false_positive = {0}, .detects = {}, .source = ""}};
    setup.directory = place.path().string();
    setup.started_ns = monotonic_ns();
    setup.seed = {.study = 1, .replica = 0};
    setup.answers_within = 20ms;
    // An earlier driver has started the job.
    so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
    so_far.orders.push_back({kStart, 1, {OrderId{1}, Start{JobId{0}, 20ms}}});
    so_far.observations.push_back({kStart, Outcome{OrderId{1}, Status::done, 0ns, Loaded{0}}});
  }

  Outcome obey(RealCluster& cluster, const Action& what) {
    const OrderId order{++last_order};
    cluster.start({order, what});
    given.insert(what.index());
    return outcome_of(cluster, order);
  }
  static Outcome outcome_of(RealCluster& cluster, OrderId order) {
    constexpr Duration kPatience = 2min;  // a guard against a wait without end, not a measure
    for (Time until = kStart; until < kStart + kPatience;) {
      const auto seen = cluster.next(until);
      if (!seen) until += 10ms;
      const auto* outcome = seen ? std::get_if<Outcome>(&seen->what) : nullptr;
      if (outcome != nullptr && outcome->order == order) return *outcome;
    }
    throw std::runtime_error("order " + std::to_string(order.value) + " waits without a deadline");
  }

  const Scratch place;
  StandIns platform;
  World world;
  DrillSetup setup;
  Record so_far;
  std::uint64_t last_order = 1;
  std::set<std::size_t> given;  // kinds of orders
};

TEST_F(OrderDeadlines, EachKindOfOrderEnds) {
  RealCluster cluster(world, setup, so_far, platform);
  const JobId job{0};
  const WatchId report{1};
  // With ranks.
  EXPECT_EQ(obey(cluster, Checkpoint{job}).status, Status::failed);
  EXPECT_EQ(obey(cluster, CheckpointEvery{job, 1s}).status, Status::done);
  EXPECT_EQ(obey(cluster,
                 Watch{.id = report, .signal = Signal::step, .who = Scope::hosts_of(job), .until = Sample{1}})
                .status,
            Status::done);
  EXPECT_EQ(obey(cluster, Unwatch{report}).status, Status::done);
  const Outcome probed = obey(cluster, Probe{ProbeId{0}, Scope::hosts_of(job), report});
  EXPECT_EQ(probed.status, Status::done);
  EXPECT_EQ(std::get<Probed>(probed.result).verdict, Verdict::faulty) << "who does not answer fails it";
  EXPECT_EQ(obey(cluster, Stop{job}).status, Status::done);
  // Without.
  EXPECT_EQ(obey(cluster, StandBy{HostId{1}}).status, Status::done);
  EXPECT_EQ(obey(cluster, Acquire{job}).status, Status::done);
  EXPECT_EQ(obey(cluster, Start{job, 20ms}).status, Status::failed);
  EXPECT_EQ(obey(cluster, Stop{job}).status, Status::done);
  EXPECT_EQ(obey(cluster, Release{job}).status, Status::done);
  EXPECT_EQ(obey(cluster, Evict{HostId{0}}).status, Status::done);
  EXPECT_EQ(obey(cluster, Readmit{HostId{0}}).status, Status::failed) << "it is in repair";
  EXPECT_EQ(obey(cluster, Retire{HostId{0}}).status, Status::done);
  EXPECT_EQ(obey(cluster, Ask{job}).status, Status::done);
  EXPECT_EQ(obey(cluster, Alert{job, component(HostId{1})}).status, Status::done);
  EXPECT_EQ(obey(cluster, Wake{kStart}).status, Status::done);
  // An order for a host waits for one. Its giver ends the wait.
  EXPECT_EQ(obey(cluster, Acquire{job}).status, Status::done);
  const OrderId waits{++last_order};
  cluster.start({waits, Acquire{job}});
  EXPECT_EQ(obey(cluster, Cancel{waits}).status, Status::done);
  EXPECT_EQ(given.size(), std::variant_size_v<Action>) << "a kind of order is missing here";
}

}  // namespace
}  // namespace gauntlet
