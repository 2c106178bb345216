// Hosts that fail while the job is down: the repair of each begins when it fails, whatever the job waits for. Exact, to the second
// that a step takes.
#include "tests/campaign/full_and_elided.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Two hosts, no spare, and repairs of ten hours by as many technicians as are needed. Nothing else takes time.
World two_hosts(std::vector<std::pair<Time, std::uint32_t>> trace) {
  World world = one_fault_world(2, Law::exponential(1e12));
  world.job.step_time = 1s;
  world.job.window = 48h;
  world.faults[0].trace = std::move(trace);
  world.repair.time = Law::constant(10 * 3600);
  return world;
}

Figures run(const World& world, const PolicyConstants& policies = instant_policies(1s)) {
  return Simulation(world, policies).run({});
}

Duration waited(const Figures& figures) { return at(figures.phases, Phase::waiting_for_spare); }

TEST(RepairsWhileDown, TwoHostsThatFailAtOnceAreRepairedAtOnce) {
  const Figures figures = run(two_hosts({{kStart + 1h, 0}, {kStart + 1h, 1}}));
  EXPECT_EQ(waited(figures), 10h);
  EXPECT_EQ(figures.evictions_right, 2U);
}

TEST(RepairsWhileDown, AHostThatFailsDuringTheRepairOfAnotherIsRepairedBesideIt) {
  EXPECT_EQ(waited(run(two_hosts({{kStart + 1h, 0}, {kStart + 2h, 1}}))), 11h);
}

TEST(RepairsWhileDown, OneTechnicianRepairsOneAfterTheOther) {
  World world = two_hosts({{kStart + 1h, 0}, {kStart + 2h, 1}});
  world.repair.crew = 1;
  EXPECT_EQ(waited(run(world)), 20h);
}

// The hold is over at 11 h, and the host, which failed an hour into it, is back at 12 h.
TEST(RepairsWhileDown, AHoldWaitsForWhatIsLeftOfTheRepair) {
  World world = two_hosts({{kStart + 2h, 0}});
  world.job.planned_stops = {{kStart + 1h, 10h}};
  const Figures figures = run(world);
  EXPECT_EQ(at(figures.phases, Phase::planned), 10h);
  EXPECT_EQ(waited(figures), 1h);
}

TEST(RepairsWhileDown, AHoldThatOutlastsTheRepairWaitsForNothing) {
  World world = two_hosts({{kStart + 2h, 0}});
  world.job.planned_stops = {{kStart + 1h, 12h}};
  const Figures figures = run(world);
  EXPECT_EQ(at(figures.phases, Phase::planned), 12h);
  EXPECT_EQ(waited(figures), 0s);
}

/// Probes take an hour, and find everything.
World with_probe(World world) {
  world.probes = {{.name = "probe", .time = 1h, .false_positive = {}, .detects = {{1.0}}, .source = ""}};
  return world;
}
PolicyConstants probing() {
  PolicyConstants policies = instant_policies(1s);
  policies.diagnosis.suite = {ProbeId{0}};
  return policies;
}

// Failures at 1 h and 1.5 h are found at 2 h and 2.5 h, and repaired at 12 h and 12.5 h.
TEST(RepairsWhileDown, AHostThatFailsDuringADiagnosisIsExaminedBesideIt) {
  const Figures figures = run(with_probe(two_hosts({{kStart + 1h, 0}, {kStart + 90min, 1}})), probing());
  EXPECT_EQ(at(figures.phases, Phase::diagnosing), 90min);
  EXPECT_EQ(waited(figures), 10h);
}

TEST(RepairsWhileDown, ADiagnosisDuringTheWaitIsChargedToTheWait) {
  const Figures figures = run(with_probe(two_hosts({{kStart + 1h, 0}, {kStart + 4h, 1}})), probing());
  EXPECT_EQ(at(figures.phases, Phase::diagnosing), 1h);
  EXPECT_EQ(waited(figures), 13h);  // from 2 h to 4 h + 1 h + 10 h
}

// A person takes an hour for each, both of them asked at once.
TEST(RepairsWhileDown, AHostThatFailsWhileAPersonLooksIsLookedAtBesideIt) {
  World world = two_hosts({{kStart + 1h, 0}, {kStart + 90min, 1}});
  world.people.response = Law::constant(3600);
  PolicyConstants policies = instant_policies(1s);
  policies.names.diagnose = "person";
  const Figures figures = run(world, policies);
  EXPECT_EQ(at(figures.phases, Phase::diagnosing) + waited(figures), 90min + 10h);
}

// What the job is charged with adds up, and elided telemetry says what full telemetry does.
TEST(RepairsWhileDown, AddUp) {
  World world = two_hosts({{kStart + 2h, 0}, {kStart + 3h, 1}, {kStart + 12h, 0}});
  world.job.planned_stops = {{kStart + 1h, 10h}};
  const Figures figures = run(world);
  Duration sum{};
  for (const Duration each : figures.phases) sum += each;
  EXPECT_EQ(sum, figures.wall);
}

}  // namespace
}  // namespace gauntlet
