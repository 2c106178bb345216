// What happens after a fault: what follows it, what it leaves in memory, what a probe finds, and how the loss comes back.
#include "tests/sim/hand_driven.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

// --- followers -------------------------------------------------------------------------------------------------------

/// Host 3 has a fault at 115 s that nobody sees, and crashes because of it 20 h later.
World followed_world() {
  World world = tiered_world();
  world.job.window = 900h;
  world.repair.time = Law::constant(36'000);
  FaultKind cause;
  cause.name = "cause";
  cause.effect = Effect::none;
  cause.trace = {{kStart + 115s, 3}};
  cause.followed_by = {.kind = FaultKindId{1}, .probability = {1}, .after = Law::constant(72'000)};
  FaultKind follower;
  follower.name = "follower";
  follower.effect = Effect::crash;
  follower.life = Law::exponential(1e300);
  world.faults = {cause, follower};
  return world;
}

TEST(AFollower, StrikesAHostThatWasNotRepaired) {
  Driver driver(followed_world());
  driver.run_until(kStart + 115s + 20h - 1s);
  EXPECT_EQ(driver.strikes(FaultKindId{1}), 0U);
  driver.run_until(kStart + 115s + 20h + 1s);
  EXPECT_EQ(driver.strikes(FaultKindId{1}), 1U);
}

TEST(AFollower, WithoutAnyTimeBetweenIsDrawnAnew) {
  // Each fault heals at once and leads to the next one at once with probability 0.9. Such a chain has 10 faults in the mean, with
  // a variance of 0.9 / 0.1^2 = 90.
  constexpr int kChains = 400;
  World world = followed_world();
  FaultKind& cause = world.faults[0];
  cause.trace.clear();
  for (int i = 1; i <= kChains; ++i) cause.trace.push_back({kStart + i * 1s, 3});
  cause.heals_after = Law::constant(1e-12);
  cause.followed_by = {.kind = FaultKindId{0}, .probability = {0.9}, .after = Law::constant(0)};
  Driver driver(world);
  driver.run_until(kStart + (kChains + 1) * 1s);
  EXPECT_NEAR(static_cast<double>(driver.strikes(FaultKindId{0})), 10.0 * kChains,
              5 * std::sqrt(90.0 * kChains));
}

TEST(AFollower, SparesAHostThatWasRepairedMeanwhile) {
  for (const double in_vain : {0.0, 1.0}) {
    World world = followed_world();
    world.repair.silent_failure = {in_vain};
    Driver driver(world);
    driver.run_until(kStart + 10min);
    driver.stop();
    ASSERT_EQ(driver.give(Evict{HostId{3}}).status, Status::done);
    EXPECT_EQ(driver.until_returned(), 10h);
    ASSERT_EQ(driver.give(Readmit{HostId{3}}).status, Status::done);
    driver.run_until(kStart + 100h);
    // A repair that did not help leaves the cause where it is, and with it what it leads to.
    EXPECT_EQ(driver.strikes(FaultKindId{1}), in_vain > 0 ? 1U : 0U);
  }
}

// --- what is left in memory ------------------------------------------------------------------------------------------

// Copies of the same step are in every tier: the quickest that outlived the fault is loaded.
TEST(AfterAFault, OfEquallyNewCopiesTheQuickestIsLoaded) {
  const struct {
    const char* what;
    ComponentKind where;
    std::vector<std::uint32_t> hosts;
    Duration load;
  } table[] = {
      {"processes", ComponentKind::gpu, {3}, 1s},
      {"one host", ComponentKind::host, {3}, 2s},
      {"a whole group", ComponentKind::host, {2, 6}, 4s},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.what);
    World world = tiered_world();
    for (const std::uint32_t host : row.hosts) add_crashes(world, row.where, {{kStart + 115s, host}});
    Driver driver(world, 1);
    for (const Tier tier : {Tier::memory, Tier::peers, Tier::storage})
      driver.give(CheckpointEvery{JobId{0}, 60s, tier});
    driver.start(Start{});
    driver.run_until(kStart + 116s);  // taken at 60 s; storage has it since 80 s
    driver.stop();
    if (row.where == ComponentKind::host)
      for (const std::uint32_t host : row.hosts) driver.replace(host);
    EXPECT_EQ(driver.start(Start{}), 60);
    EXPECT_EQ(driver.took, row.load);
  }
}

// At 115 s memory holds step 110, peers' memory 90, storage 60. A host whose rack or power is gone has lost its memory, also
// where nobody missed its heartbeat; one whose switch is gone has it still.
TEST(AfterAFault, HostsWithoutPowerHaveLostTheirMemory) {
  const struct {
    const char* what;
    ComponentKind where;
    std::uint32_t racks_per_power_domain;
    std::int64_t step;
  } table[] = {
      {"a switch", ComponentKind::tor, 2, 110},
      {"a rack of hosts 2 and 3", ComponentKind::rack, 2, 90},
      {"the power of hosts 0 to 3", ComponentKind::power, 2, 90},
      {"the power of all hosts of the job", ComponentKind::power, 4, 60},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(row.what);
    World world = tiered_world();
    world.fabric.hosts_per_rack = 2;
    world.fabric.racks_per_power_domain = row.racks_per_power_domain;
    add_crashes(world, row.where, {{kStart + 115s, row.where == ComponentKind::power ? 0U : 1U}});
    Driver driver(world);
    driver.run_until(kStart + 116s);
    driver.stop();
    EXPECT_EQ(driver.start(Start{}), row.step);
  }
}

// --- silence ---------------------------------------------------------------------------------------------------------

// Hosts 5, 3 and 4 lose their agents in that order, before any heartbeat. They are missed at one time, in the order in which
// the driver listens to them, with and without full telemetry.
TEST(HostsThatWereNeverHeard, AreMissedInTheirOrder) {
  for (const TelemetryKind telemetry : {TelemetryKind::elided, TelemetryKind::full}) {
    World world = tiered_world();
    world.job.window = 10h;
    world.telemetry.heartbeat_period = 1h;  // the first one comes later than 3 s
    for (const auto& [at, host] : {std::pair{1s, 5U}, std::pair{2s, 3U}, std::pair{3s, 4U}}) {
      add_crashes(world, ComponentKind::host, {{kStart + at, host}});
      world.faults.back().symptoms.heartbeat_lost = true;
    }
    Driver driver(world, 1, telemetry);
    driver.give(Watch{WatchId{1}, Signal::heartbeat, Scope::all(ComponentKind::host), Silence{2h}});
    std::vector<std::uint32_t> missed;
    for (const Seen& seen : driver.heard_until(kStart + 2h)) missed.push_back(seen.who.index);
    EXPECT_EQ(missed, (std::vector{3U, 4U, 5U}));
  }
}

// --- probes ----------------------------------------------------------------------------------------------------------

// A probe that detects nothing at all still gets no answer of a host that is gone.
TEST(AProbe, FindsAHostThatIsGoneWhateverItDetects) {
  World world = tiered_world();
  ProbeKind probe;
  probe.name = "blind";
  probe.time = 1s;
  probe.detects = {{}, {}};
  world.probes = {probe};
  add_crashes(world, ComponentKind::host, {{kStart + 115s, 3}});
  world.faults[0].symptoms.heartbeat_lost = true;
  add_crashes(world, ComponentKind::host, {{kStart + 115s, 5}});  // its agent answers
  const auto accused = [](Driver& driver, const Scope& who) {
    const Outcome outcome = driver.give(Probe{ProbeId{0}, who, WatchId{1}});
    const auto& probed = std::get<Probed>(outcome.result);
    return std::pair(probed.verdict, probed.component);
  };
  const auto one = [](std::uint32_t host) { return Scope::one(component(HostId{host})); };
  Driver driver(world);
  driver.run_until(kStart + 100s);
  EXPECT_EQ(accused(driver, one(3)).first, Verdict::healthy);
  EXPECT_EQ(accused(driver, Scope::hosts_of(JobId{0})).first, Verdict::healthy);
  driver.run_until(kStart + 116s);
  driver.stop();
  EXPECT_EQ(accused(driver, one(3)).first, Verdict::faulty);
  EXPECT_EQ(accused(driver, one(5)).first, Verdict::healthy);
  EXPECT_EQ(accused(driver, Scope::hosts_of(JobId{0})), std::pair(Verdict::faulty, component(HostId{3})));
}

// --- the loss --------------------------------------------------------------------------------------------------------

/// When the loss left its band and came back, in whole seconds.
std::vector<std::pair<Edge, double>> edges_of_loss(Driver& driver, Time until) {
  std::vector<std::pair<Edge, double>> edges;
  for (const Seen& seen : driver.heard_until(until))
    if (seen.watch == WatchId{1}) edges.emplace_back(seen.edge, std::round(to_seconds(seen.sensed - kStart)));
  return edges;
}

TEST(TheLoss, ComesBackWhenItsFaultIsOver) {
  for (const TelemetryKind telemetry : {TelemetryKind::elided, TelemetryKind::full}) {
    World world = tiered_world();
    FaultKind fault;
    fault.name = "wrong";
    fault.effect = Effect::corrupt;
    fault.heals_after = Law::constant(30);
    fault.symptoms.loss = 9;
    fault.trace = {{kStart + 115s + 500ms, 3}};
    world.faults = {fault};
    Driver driver(world, telemetry);
    driver.give(Watch{WatchId{1}, Signal::loss, Scope{.kind = ComponentKind::job}, Outside{-3, 3}});
    // Steps complete at whole seconds.
    EXPECT_EQ(edges_of_loss(driver, kStart + 300s),
              (std::vector{std::pair(Edge::began, 116.0), std::pair(Edge::ended, 146.0)}));
  }
}

TEST(TheLoss, IsThatOfTheWorstFaultThatIsLeft) {
  World world = tiered_world();
  for (const auto& [at, lasts, loss] : {std::tuple{100s, 60, 9.0}, std::tuple{120s, 100, 5.0}}) {
    FaultKind fault;
    fault.name = "wrong" + std::to_string(world.faults.size());
    fault.effect = Effect::corrupt;
    fault.heals_after = Law::constant(lasts);
    fault.symptoms.loss = loss;
    fault.trace = {{kStart + at + 500ms, 3}};
    world.faults.push_back(fault);
  }
  Driver driver(world);
  driver.give(Watch{WatchId{1}, Signal::loss, Scope{.kind = ComponentKind::job}, Outside{-7, 7}});
  EXPECT_EQ(edges_of_loss(driver, kStart + 300s),
            (std::vector{std::pair(Edge::began, 101.0), std::pair(Edge::ended, 161.0)}));
}

}  // namespace
}  // namespace gauntlet
