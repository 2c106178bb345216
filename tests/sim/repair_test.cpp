// The repair shop: its stages, what a silent failure leaves behind, burn-in, and who leaves for good.
#include "sim/hosts/repair.hpp"

#include "sim/sim_cluster.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// A queue alone, which hosts enter all at once.
struct QueueRun {
  struct Return {
    Duration at;
    bool mended;
  };
  std::vector<Return> returns;
  RepairCounts counts;
};

QueueRun run_queue(const RepairShop& shop, std::uint32_t hosts, std::uint64_t seed,
                   std::optional<FaultKindId> cause = {}) {
  SimEngine engine;
  RepairQueue queue(shop, engine);
  for (std::uint32_t h = 0; h < hosts; ++h)
    queue.admit(HostId{h}, cause, Stream({.study = seed}, stream_name("test.repair"), h));
  QueueRun run;
  while (const auto event = engine.next(kNever)) {
    if (const auto back = queue.on(std::get<RepairDone>(*event)))
      run.returns.push_back({engine.now() - kStart, back->mended});
  }
  run.counts = queue.counts();
  return run;
}

RepairShop shop_of(Law time, std::uint32_t crew = 0, double silent = 0) {
  RepairShop shop;
  shop.time = std::move(time);
  shop.crew = crew;
  shop.silent_failure = Probability{silent};
  return shop;
}

TEST(Repair, EachStageHasItsOwnCrew) {
  RepairShop shop = shop_of(Law::constant(3600), 2);
  shop.manual = {.needed = Probability{1}, .time = Law::constant(5 * 3600), .crew = 1};
  std::vector<Duration> at;
  for (const auto& each : run_queue(shop, 3, 1).returns) at.push_back(each.at);
  // Two are through the automatic stage after 1 h, the third after 2 h; then one person has 5 h for each.
  EXPECT_EQ(at, (std::vector<Duration>{6h, 11h, 16h}));
}

TEST(Repair, TheCauseSaysHowLongItTakes) {
  RepairShop shop = shop_of(Law::constant(3600));
  shop.by_cause = {{FaultKindId{2}, Law::constant(60)}};
  EXPECT_EQ(run_queue(shop, 1, 1, FaultKindId{2}).returns[0].at, 1min);
  EXPECT_EQ(run_queue(shop, 1, 1, FaultKindId{1}).returns[0].at, 1h);
  EXPECT_EQ(run_queue(shop, 1, 1).returns[0].at, 1h);
}

/// Binomial counts, to four standard errors.
void expect_share(std::uint32_t hits, std::uint32_t of, double p) {
  EXPECT_NEAR(hits, p * of, 4 * std::sqrt(of * p * (1 - p))) << "of " << of;
}

TEST(Repair, AStageFailsSilentlyWithItsOwnProbability) {
  RepairShop shop = shop_of(Law::exponential(7200), 0, 0.4);
  shop.manual = {
      .needed = Probability{0.8}, .time = Law::exponential(172800), .silent_failure = Probability{0.2}};
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    constexpr std::uint32_t kHosts = 20'000;
    const QueueRun run = run_queue(shop, kHosts, seed);
    EXPECT_EQ(run.counts.automatic, kHosts);
    expect_share(run.counts.manual, kHosts, 0.8);
    expect_share(run.counts.silent, kHosts, 0.2 * 0.4 + 0.8 * 0.2);
    EXPECT_EQ(run.counts.held + run.counts.silent, kHosts);
    double seconds = 0;
    for (const auto& each : run.returns) seconds += to_seconds(each.at);
    // The mean is 7,200 + 0.8 x 172,800; the variance of the manual part is 0.8 (2 - 0.8) x its square.
    const double error = std::sqrt((7200.0 * 7200.0 + 0.96 * 172800.0 * 172800.0) / kHosts);
    EXPECT_NEAR(seconds / kHosts, 145440, 4 * error) << "seed " << seed;
  }
}

TEST(Repair, BurnInSendsBackWhatItFinds) {
  RepairShop shop = shop_of(Law::constant(3600), 0, 0.5);
  shop.burn_in = 30min;
  shop.burn_in_finds = Probability{0.6};
  constexpr std::uint32_t kHosts = 20'000;
  const QueueRun run = run_queue(shop, kHosts, 4);
  ASSERT_EQ(run.returns.size(), kHosts);
  std::uint32_t no_better = 0;
  for (const auto& each : run.returns) {
    EXPECT_EQ(each.at % 90min, Duration::zero());  // a round is an hour and a half
    no_better += each.mended ? 0 : 1;
  }
  // A round ends in mended (0.5), missed (0.2) or another round (0.3).
  expect_share(no_better, kHosts, 0.2 / 0.7);
  EXPECT_EQ(run.counts.automatic, kHosts + run.counts.found);
  EXPECT_NEAR(run.counts.found, kHosts * 0.3 / 0.7, 4 * std::sqrt(kHosts * 0.3) / 0.7);
}

TEST(Repair, AHostThatIsDroppedFreesItsTechnician) {
  const RepairShop shop = shop_of(Law::constant(3600), 1);
  for (const std::uint32_t dropped : {0U, 1U}) {  // in hand, and waiting
    SimEngine engine;
    RepairQueue queue(shop, engine);
    const Stream draws({.study = 1}, stream_name("test.repair"));
    for (std::uint32_t h = 0; h < 3; ++h) queue.admit(HostId{h}, {}, draws);
    queue.drop(HostId{dropped});
    queue.drop(HostId{7});  // is not here
    std::vector<Duration> at;
    while (const auto event = engine.next(kNever)) {
      EXPECT_NE(std::get<RepairDone>(*event).host, HostId{dropped});
      if (queue.on(std::get<RepairDone>(*event))) at.push_back(engine.now() - kStart);
    }
    EXPECT_EQ(at, (std::vector<Duration>{1h, 2h}));
  }
}

/// One host and a spare; the host's fault comes after an hour of training and is repaired in ten.
World two_hosts(double silent) {
  World world = one_fault_world(1, Law::exponential(1e12));
  world.inventory.spares = 1;
  world.job.step_time = 1s;
  world.faults[0].trace = {{kStart + 1h, 0}};
  world.repair = shop_of(Law::constant(10 * 3600), 0, silent);
  return world;
}

/// The cluster as an operator has it in hand.
class Operator {
 public:
  explicit Operator(World world) : world_(std::move(world)), cluster_(world_) {
    cluster_.reset({.study = 1}, false);
  }
  Status order(const Action& what, Time until) {
    const OrderId id{++orders_};
    cluster_.start({id, what});
    while (const auto seen = cluster_.next(until)) {
      const auto* outcome = std::get_if<Outcome>(&seen->what);
      if (outcome != nullptr && outcome->order == id) return outcome->status;
    }
    return Status::cancelled;
  }
  void advance(Time until) {
    while (cluster_.next(until)) {
    }
  }
  std::size_t truths(TruthKind kind) const {
    std::size_t count = 0;
    for (const Truth& each : cluster_.truth()) count += each.what == kind ? 1U : 0U;
    return count;
  }
  /// The host is broken, is repaired, and carries the job again.
  void repair_and_return() {
    order(Start{JobId{0}, kForever}, kStart + 1min);
    advance(kStart + 2h);
    order(Stop{JobId{0}, StopReason::fault}, kStart + 2h);
    ASSERT_EQ(order(Evict{HostId{0}}, kStart + 2h), Status::done);
    ASSERT_EQ(order(Acquire{JobId{0}}, kStart + 2h), Status::done);  // the spare
    ASSERT_EQ(order(Evict{HostId{1}}, kStart + 2h), Status::done);
    advance(kStart + 13h);
    ASSERT_EQ(order(Readmit{HostId{0}}, kStart + 13h), Status::done);
    ASSERT_EQ(order(Acquire{JobId{0}}, kStart + 13h), Status::done);
    ASSERT_EQ(order(Start{JobId{0}, kForever}, kStart + 13h), Status::done);
    advance(kStart + 14h);
  }

 private:
  World world_;
  SimCluster cluster_;
  std::uint64_t orders_ = 0;
};

TEST(Repair, AFaultThatWasRepairedInVainStrikesTheNextStart) {
  Operator good(two_hosts(0)), in_vain(two_hosts(1));
  good.repair_and_return();
  in_vain.repair_and_return();
  EXPECT_EQ(good.truths(TruthKind::onset), 1U);
  EXPECT_EQ(good.truths(TruthKind::ended), 1U);
  EXPECT_EQ(good.truths(TruthKind::returned), 0U);
  EXPECT_EQ(in_vain.truths(TruthKind::onset), 1U);
  EXPECT_EQ(in_vain.truths(TruthKind::ended), 0U);
  EXPECT_EQ(in_vain.truths(TruthKind::returned), 1U);
}

TEST(Repair, ARetiredHostLeavesForGood) {
  Operator cluster(two_hosts(0));
  const Time end = kStart + 100h;
  EXPECT_EQ(cluster.order(Retire{HostId{0}}, end), Status::failed);  // it carries the job
  EXPECT_EQ(cluster.order(Retire{HostId{1}}, end), Status::failed);  // it stands by
  EXPECT_EQ(cluster.order(Evict{HostId{1}}, kStart), Status::done);
  EXPECT_EQ(cluster.order(Retire{HostId{1}}, kStart), Status::done);  // in repair
  cluster.advance(kStart + 50h);
  EXPECT_EQ(cluster.order(Readmit{HostId{1}}, end), Status::failed);
  EXPECT_EQ(cluster.order(Evict{HostId{1}}, end), Status::failed);
  EXPECT_EQ(cluster.order(Evict{HostId{0}}, kStart + 50h), Status::done);
  cluster.advance(kStart + 70h);
  EXPECT_EQ(cluster.order(Retire{HostId{0}}, end), Status::done);  // back from repair
  EXPECT_EQ(cluster.order(Readmit{HostId{0}}, end), Status::failed);
  EXPECT_EQ(cluster.truths(TruthKind::onset), cluster.truths(TruthKind::ended));
}

}  // namespace
}  // namespace gauntlet
