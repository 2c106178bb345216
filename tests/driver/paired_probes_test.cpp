// Probes of two hosts: agents that answer as hosts with good and bad links do, and the hosts that the driver names.
#include "core/record/codec.hpp"
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <set>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

class PairedProbes : public testing::Test {
 protected:
  static constexpr std::uint32_t kHosts = 6;

  PairedProbes() {
    world.inventory = {
        .job_hosts = kHosts, .spares = 0, .gpus_per_host = 1, .layout = {.tp = 1, .pp = kHosts, .dp = 1}};
    world.job.layout = world.inventory.layout;
    world.job.step_time = 1s;
    world.drill.lease = 10min;
    world.probes = {
        {.name = "tcp_loss", .time = 1s, .group = 2, .false_positive = {0}, .detects = {}, .source = ""}};
    setup.directory = place.path().string();
    setup.started_ns = monotonic_ns();
    setup.seed = {.study = 1, .replica = 0};
    setup.answers_within = 10s;
    setup.probes["tcp_loss"].threshold = {.at_most = 0.1, .breach = Breach::degraded};
    so_far.observations.push_back({kStart, Started{JobId{0}, world.inventory}});
    platform.told_to = [this](std::uint32_t host, const DriverMessage& message) {
      if (const auto* probe = std::get_if<DriverRunProbe>(&message)) answer(host, *probe);
    };
  }

  /// As an agent whose link loses segments where one of its ends is bad.
  void answer(std::uint32_t host, const DriverRunProbe& message) {
    const ProbeLink& link = message.task.link.value();
    EXPECT_FALSE(link.secret.empty());
    const auto listens = static_cast<std::uint32_t>(link.addresses.at(0).port - 1);
    AgentProbed probed{.order = message.order.value, .sample = {}};
    if (link.listens) {
      EXPECT_EQ(listens, host);
    } else {
      EXPECT_NE(listens, host);
      measured.emplace_back(host, listens);
      const double lost = bad.contains(host) || bad.contains(listens) ? 2 : 0;
      probed.sample.parts.push_back({.part = "with stand-in", .kind = "", .values = {lost}, .remark = ""});
    }
    platform.listeners.at(host).receive({probed});
  }

  /// The hosts that fail the probe.
  std::vector<std::uint32_t> failing(RealCluster& cluster, const Scope& who) {
    const OrderId order{++last_order};
    cluster.start({order, Probe{ProbeId{0}, who, WatchId{1}}});
    std::vector<std::uint32_t> hosts;
    for (Time until = kStart; until < kStart + 2min;) {
      const auto seen = cluster.next(until);
      if (!seen) until += 10ms;
      if (!seen) continue;
      if (const auto* failed = std::get_if<Seen>(&seen->what)) hosts.push_back(host_of(failed->who).value);
      const auto* outcome = std::get_if<Outcome>(&seen->what);
      if (outcome != nullptr && outcome->order == order) return hosts;
    }
    ADD_FAILURE() << "the probe does not end";
    return hosts;
  }
  std::vector<std::uint32_t> failing_alone(RealCluster& cluster, std::uint32_t host) {
    return failing(cluster, Scope::one(component(HostId{host})));
  }

  const Scratch place;
  StandIns platform;
  World world;
  DrillSetup setup;
  Record so_far;
  std::set<std::uint32_t> bad;       // hosts
  std::vector<HostPair> measured{};  // so far
  std::uint64_t last_order = 0;
};

TEST_F(PairedProbes, TwoRoundsNameTheCulpritOfAPair) {
  bad = {3};
  RealCluster cluster(world, setup, so_far, platform);
  EXPECT_THAT(failing(cluster, Scope::hosts_of(JobId{0})), ElementsAre(2, 3));
  EXPECT_THAT(failing_alone(cluster, 2), IsEmpty());
  EXPECT_THAT(failing_alone(cluster, 3), ElementsAre(3));
  // Each suspect had a partner of a pair that passed.
  EXPECT_THAT(measured,
              ElementsAre(HostPair{0, 1}, HostPair{2, 3}, HostPair{4, 5}, HostPair{2, 0}, HostPair{3, 0}));
}

TEST_F(PairedProbes, BothHostsOfAPairCanBeBad) {
  bad = {4, 5};
  RealCluster cluster(world, setup, so_far, platform);
  EXPECT_THAT(failing(cluster, Scope::hosts_of(JobId{0})), ElementsAre(4, 5));
  EXPECT_THAT(failing_alone(cluster, 4), ElementsAre(4));
  EXPECT_THAT(failing_alone(cluster, 5), ElementsAre(5));
}

TEST_F(PairedProbes, WithoutAProvenHostASuspectIsBadWhereTwoPartnersSaySo) {
  bad = {1};
  RealCluster cluster(world, setup, so_far, platform);
  EXPECT_THAT(failing_alone(cluster, 0), IsEmpty());  // bad with host 1, and good with host 2
  EXPECT_THAT(failing_alone(cluster, 1), ElementsAre(1));
  EXPECT_THAT(measured, ElementsAre(HostPair{0, 1}, HostPair{0, 2}, HostPair{1, 0}, HostPair{1, 2}));
}

TEST_F(PairedProbes, GoodLinksBlameNobody) {
  RealCluster cluster(world, setup, so_far, platform);
  EXPECT_THAT(failing(cluster, Scope::hosts_of(JobId{0})), IsEmpty());
  EXPECT_THAT(failing_alone(cluster, 0), IsEmpty());
}

}  // namespace
}  // namespace gauntlet
