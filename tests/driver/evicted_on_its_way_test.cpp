// A host that is granted to the job, and evicted before the policies hear of the grant: the cluster, a driver that takes over
// and the policies know the same hosts in the same slots.
#include "policies/seating.hpp"
#include "real/driver/real_cluster.hpp"
#include "tests/driver/stand_ins.hpp"
#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <variant>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

struct HostsOnTheirWay : testing::Test {
  HostsOnTheirWay() {
    world.inventory = {
        .job_hosts = 3, .spares = 4, .gpus_per_host = 1, .layout = {.tp = 1, .pp = 3, .dp = 1}};
    world.job.layout = world.inventory.layout;
    world.job.step_time = 1s;
    world.repair.time = Law::constant(3600);
    world.drill.lease = 10min;
    seating = Seating(world.inventory);
  }

  DrillSetup setup(std::uint64_t epoch) const {
    DrillSetup setup;
    setup.directory = place.path().string();
    setup.started_ns = started_ns;
    setup.epoch = epoch;
    setup.seed = {.study = 1, .replica = 0};
    return setup;
  }

  void order(Cluster& cluster, const Action& what) { cluster.start({OrderId{++last_order}, what}); }
  void evict(Cluster& cluster, std::uint32_t host) {
    seating.evict(HostId{host});
    order(cluster, Evict{HostId{host}});
  }
  /// As Recovery does with what it hears.
  void hear(Cluster& cluster) {
    while (const std::optional<Observed> seen = cluster.next(kStart)) {
      const auto* outcome = std::get_if<Outcome>(&seen->what);
      const auto* granted = outcome == nullptr ? nullptr : std::get_if<Granted>(&outcome->result);
      if (granted == nullptr) continue;
      if (seating.in_service(granted->host)) {
        seating.join(granted->host);
      } else {
        seating.came_and_went(granted->host);
      }
    }
  }
  /// Slots 0 and 1 are empty; host 3 is given slot 0 and is evicted before that is heard of, and then host 2.
  void lose_hosts(Cluster& cluster) {
    hear(cluster);
    evict(cluster, 0);
    evict(cluster, 1);
    hear(cluster);
    order(cluster, Acquire{JobId{0}});
    evict(cluster, 3);
    evict(cluster, 2);
    hear(cluster);
  }
  void expect_agreement(Cluster& cluster) {
    for (int host = 0; host < 3; ++host) order(cluster, Acquire{JobId{0}});
    hear(cluster);
    order(cluster, Start{JobId{0}, 10min});
    const std::map<std::uint32_t, std::uint32_t> expected = {{0, 5}, {1, 4}, {2, 6}};
    EXPECT_EQ(platform.host, expected);
    for (const auto& [slot, host] : expected)
      EXPECT_EQ(seating.host_in(slot), HostId{host}) << "slot " << slot;
  }

  const Scratch place;
  const std::int64_t started_ns = monotonic_ns();
  StandIns platform;
  World world;
  Seating seating;
  std::uint64_t last_order = 0;
};

TEST_F(HostsOnTheirWay, SitWhereThePoliciesThink) {
  const Record nothing;
  RealCluster cluster(world, setup(1), nothing, platform);
  lose_hosts(cluster);
  expect_agreement(cluster);
}

TEST_F(HostsOnTheirWay, SitWhereADriverThatTakesOverThinks) {
  const Record nothing;
  Record record;
  {
    RealCluster cluster(world, setup(1), nothing, platform);
    Recorder recorder(cluster, record);
    lose_hosts(recorder);
  }
  RealCluster cluster(world, setup(2), record, platform);
  expect_agreement(cluster);
}

}  // namespace
}  // namespace gauntlet
