// A job that goes on with fewer data-parallel replicas: what it loses, to the nanosecond, and whatever else happens meanwhile.
#include "core/roster.hpp"
#include "tests/campaign/full_and_elided.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>
#include <vector>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Four hosts, a replica each, with three sequences each in a step of 9 s; none stands by, and a repair takes ten hours. All else
/// takes no time. Host 0 breaks after an hour and a second.
World four_replicas() {
  World world = one_fault_world(4, Law::exponential(1e12));
  world.job.step_time = 9s;
  world.job.global_batch = 12;
  world.job.window = 24h;
  world.faults[0].trace = {{kStart + 1h + 1s, 0}};
  world.repair.time = Law::constant(10 * 3600);
  return world;
}

PolicyConstants waiting(Duration wait) {
  PolicyConstants policies = instant_policies(9s);
  policies.recovery.wait_for_spare = wait;
  return policies;
}

Duration slowdown(const Figures& figures, Cause cause) {
  return at(figures.lost[cause.value], Phase::slowdown);
}

TEST(Smaller, LosesThePaceOfTheReplicaThatIsMissing) {
  const World world = four_replicas();
  const PolicyConstants policies = waiting(5min);
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({});
  std::vector<Stretch> stretches;  // of each start, all but their ends
  for (const Stretch& each : simulation.cluster().progress().stretches)
    if (stretches.empty() || each.step != stretches.back().step) stretches.push_back(each);
  ASSERT_EQ(stretches.size(), 3U);
  // Three replicas train nine sequences in 9 s, and twelve in 12.
  EXPECT_EQ(stretches[0].step, 9s);
  EXPECT_EQ(stretches[1].step, 12s);
  EXPECT_EQ(stretches[1].healthy_step, 9s);
  EXPECT_EQ(stretches[1].for_fewer, 3s);
  EXPECT_EQ(stretches[2].step, 9s);
  const Time small = kStart + 1h + 1s + 5min, repaired = kStart + 11h + 1s;
  EXPECT_EQ(stretches[1].begin, small);
  // It is saved at the next step, and stopped, and has four replicas again.
  const std::int64_t steps = (repaired - small + 12s - 1ns) / 12s;
  EXPECT_EQ(stretches[2].begin, small + steps * 12s);
  EXPECT_EQ(slowdown(figures, kCauseFewer), steps * 3s);
  EXPECT_EQ(at(figures.phases, Phase::slowdown), steps * 3s);
  EXPECT_EQ(at(figures.phases, Phase::waiting_for_spare), 5min);
  EXPECT_EQ(figures.planned_stops,
            0U);  // nobody asked for the stop to grow: it is the missing replica that cost it
  EXPECT_EQ(figures.false_alarms, 0U);
  EXPECT_EQ(figures.evictions_right, 1U);

  const PolicyConstants patient = waiting(kForever);
  EXPECT_EQ(at(Simulation(world, patient).run({}).phases, Phase::waiting_for_spare), 10h);
}

/// A host that is slow meanwhile is charged with what it costs beyond that.
TEST(Smaller, IsChargedApartFromASlowHost) {
  World world = four_replicas();
  FaultKind slow = world.faults[0];
  slow.name = "slow";
  slow.effect = Effect::slow;
  slow.factor = 2;
  slow.symptoms = {};
  slow.heals_after = Law::constant(3600);
  slow.trace = {{kStart + 5h, 1}};
  world.faults.push_back(slow);
  for (ProbeKind& probe : world.probes) probe.detects.resize(2);
  const PolicyConstants policies = waiting(0s);
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({});
  const double lost = to_seconds(slowdown(figures, cause_of(FaultKindId{1})));
  EXPECT_GT(lost, 0);
  EXPECT_EQ(slowdown(figures, kCauseFewer) % 3s, 0s);
  EXPECT_EQ(at(figures.phases, Phase::slowdown),
            slowdown(figures, kCauseFewer) + slowdown(figures, cause_of(FaultKindId{1})));
}

World eight_hosts_without_spares() {
  World world = eight_hosts();
  world.inventory.spares = 0;
  world.job.window = 3 * 24 * kHour;
  std::vector<FaultKind> faults = every_fault();
  for (FaultKind& kind : faults) kind.life = Law::exponential(100 * 3600);
  add_faults(world, faults, 0.6);
  world.telemetry.gap_mtbf = 30 * kHour;
  world.telemetry.gap_duration = Law::lognormal(50, 1);
  return world;
}

PolicyConstants smaller_policies() {
  PolicyConstants policies = every_detector();
  policies.names.detect.insert(policies.names.detect.end(), {"fail-slow", "mfu", "learned-hang"});
  policies.recovery.wait_for_spare = 2 * kMinute;
  return policies;
}

// Detectors that learned from a larger job accuse nobody of a smaller one; and all of it shows the same elided or not.
TEST(Smaller, ElidedAndFullTelemetryShowTheSame) {
  const World world = eight_hosts_without_spares();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) expect_same_run(world, smaller_policies(), seed);
}

TEST(Smaller, AJobIsAsLargeAsItsHostsAllow) {
  const World world = eight_hosts_without_spares();
  const PolicyConstants policies = smaller_policies();
  Simulation simulation(world, policies);
  std::uint32_t fewest = 4, grown = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Figures& figures = simulation.run({.seed = seed});
    EXPECT_NE(figures.ending, Ending::gave_up) << "seed " << seed;
    Roster roster(world.inventory);
    std::uint32_t in_job = 8, replicas = 4;
    for (std::size_t heard = 0, given = 0; heard < simulation.record().observations.size(); ++heard) {
      const auto* outcome = std::get_if<Outcome>(&simulation.record().observations[heard].what);
      if (outcome != nullptr && std::holds_alternative<Granted>(outcome->result)) ++in_job;
      for (; given < simulation.record().orders.size() &&
             simulation.record().orders[given].observations <= heard + 1;
           ++given) {
        const Action& what = simulation.record().orders[given].order.what;
        if (const auto* evict = std::get_if<Evict>(&what); evict != nullptr && roster.in_job(evict->host))
          --in_job;
        if (const auto* evict = std::get_if<Evict>(&what)) roster.leave(evict->host);
        if (const auto* rests = std::get_if<StandBy>(&what)) {
          roster.leave(rests->host);
          --in_job;
        }
        if (const auto* start = std::get_if<Start>(&what)) {
          EXPECT_EQ(in_job, 2 * start->replicas) << "seed " << seed;
          grown += start->replicas > replicas ? 1 : 0;
          replicas = start->replicas;
          fewest = std::min(fewest, replicas);
        }
      }
      if (outcome != nullptr)
        if (const auto* granted = std::get_if<Granted>(&outcome->result)) roster.join(granted->host);
    }
  }
  EXPECT_LE(fewest, 2U);
  EXPECT_GT(grown, 40U);
}

}  // namespace
}  // namespace gauntlet
