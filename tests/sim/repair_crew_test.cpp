// A repair crew of so many technicians: first come, first served.
#include "core/math/special.hpp"
#include "sim/sim_cluster.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// No faults: hosts are taken out by order.
World repair_world(std::uint32_t spares, std::uint32_t crew, Law repair) {
  World world = one_fault_world(1, Law::exponential(1));
  world.faults.clear();
  world.job.step_time = 1s;
  world.inventory.spares = spares;
  world.repair.time = std::move(repair);
  world.repair.crew = crew;
  return world;
}

/// A cluster from which hosts are evicted, and what of them comes back when.
class Shop {
 public:
  Shop(const World& world, Seed seed) : cluster_(world) { cluster_.reset(seed, false); }

  void evict(HostId host) {
    cluster_.start({OrderId{++orders_}, Evict{host}});
    out_[host.value] = cluster_.now();
  }
  bool is_out(HostId host) const { return out_.contains(host.value); }
  /// Goes on until then; repaired hosts are spares again at once.
  void advance(Time until) {
    while (const auto seen = cluster_.next(until)) {
      const auto* back = std::get_if<HostReturned>(&seen->what);
      if (back == nullptr) continue;
      returned.push_back(seen->at - kStart);
      hosts.push_back(back->host.value);
      away.push_back(to_seconds(seen->at - out_.at(back->host.value)));
      out_.erase(back->host.value);
      cluster_.start({OrderId{++orders_}, Readmit{back->host}});
    }
  }

  std::vector<Duration> returned;    // when
  std::vector<std::uint32_t> hosts;  // which, in the same order
  std::vector<double> away;          // for how many seconds, in the same order

 private:
  SimCluster cluster_;
  std::uint64_t orders_ = 0;
  std::map<std::uint32_t, Time> out_;
};

TEST(RepairCrew, HostsWaitForAFreeTechnicianInTheOrderInWhichTheyCame) {
  // Three together, the last one first; two more in the second hour.
  const auto run = [](std::uint32_t crew) {
    const World world = repair_world(5, crew, Law::constant(3600));
    Shop shop(world, {.study = 1});
    for (const std::uint32_t host : {3U, 1U, 2U}) shop.evict(HostId{host});
    shop.advance(kStart + 90min);
    for (const std::uint32_t host : {5U, 4U}) shop.evict(HostId{host});
    shop.advance(kStart + 100h);
    return std::pair(shop.returned, shop.hosts);
  };
  const std::vector<std::uint32_t> order = {3, 1, 2, 5, 4};
  EXPECT_EQ(run(0).first, (std::vector<Duration>{1h, 1h, 1h, 150min, 150min}));
  EXPECT_EQ(run(1), std::pair(std::vector<Duration>{1h, 2h, 3h, 4h, 5h}, order));
  EXPECT_EQ(run(2).first, (std::vector<Duration>{1h, 1h, 2h, 150min, 3h}));
  EXPECT_EQ(run(2).second.at(2), 2U);  // the others came together
  EXPECT_EQ(run(5), run(0));
}

TEST(RepairCrew, EachRepairTakesAsLongAsWithoutWaiting) {
  const auto times = [](std::uint32_t crew) {
    const World world = repair_world(4, crew, Law::lognormal(3600, 1));
    Shop shop(world, {.study = 5});
    for (std::uint32_t host = 1; host <= 4; ++host) shop.evict(HostId{host});
    shop.advance(kStart + 1000h);
    return shop.returned;
  };
  const std::vector<Duration> one = times(1), enough = times(4);
  ASSERT_EQ(one.size(), 4U);
  Duration sum{};
  for (const Duration each : enough) sum += each;  // all began at the start
  EXPECT_EQ(one.back(), sum);
}

/// M/M/c: hosts are evicted at the times of a Poisson process, repairs are exponential. The mean wait is
/// C(c, a) / (c mu - lambda) with Erlang's C = B / (1 - a/c (1 - B)) (Kleinrock, Queueing Systems I, 1975, sec. 3.5).
TEST(RepairCrew, WaitsAsErlangSays) {
  constexpr std::uint32_t kCrew = 3, kSpares = 200, kReplicas = 120;
  constexpr double kRepair = 6 * 3600.0, kBetween = 2.5 * 3600.0;
  constexpr std::size_t kWarmUp = 300, kLast = 2300;  // evictions
  const double load = kRepair / kBetween, busy = load / kCrew;
  const double blocked = erlang_b(kCrew, load), waits = blocked / (1 - busy * (1 - blocked));
  const double expected = kRepair + waits / (kCrew / kRepair - 1 / kBetween);

  const World world = repair_world(kSpares, kCrew, Law::exponential(kRepair));
  const Law between = Law::exponential(kBetween);
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    double sum = 0, squares = 0;
    for (std::uint32_t replica = 0; replica < kReplicas; ++replica) {
      Shop shop(world, {.study = seed, .replica = replica});
      Stream arrivals({.study = seed, .replica = replica}, stream_name("test.evictions"));
      double at = 0;
      for (std::size_t i = 0; i < kLast; ++i) {
        at += between.sample(arrivals);
        shop.advance(kStart + from_seconds(at));
        std::uint32_t host = 1 + static_cast<std::uint32_t>(i) % kSpares;
        while (shop.is_out(HostId{host})) host = 1 + host % kSpares;
        shop.evict(HostId{host});
      }
      shop.advance(kStart + from_seconds(at + 1e8));
      ASSERT_EQ(shop.away.size(), kLast);
      double mean = 0;
      for (std::size_t i = kWarmUp; i < kLast; ++i) mean += shop.away[i] / (kLast - kWarmUp);
      sum += mean;
      squares += mean * mean;
    }
    const double mean = sum / kReplicas;
    const double error = std::sqrt((squares - sum * mean) / (kReplicas - 1) / kReplicas);
    const double z = (mean - expected) / error;
    std::printf("seed %d: %.3f h away, expected %.3f, z = %.2f\n", static_cast<int>(seed), mean / 3600,
                expected / 3600, z);
    EXPECT_LT(error / expected, 0.02);
    EXPECT_LT(std::abs(z), 4) << "seed " << seed;
  }
}

}  // namespace
}  // namespace gauntlet
