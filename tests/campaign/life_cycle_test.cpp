// A job among others: a cluster that is made for it, a deadline before it runs, and jobs of higher priority.
#include "study/replica.hpp"
#include "tests/oracles/worlds.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// Four hosts that train in steps of 10 s; a cluster is made for them in 30 min, and scheduling takes 5.
World made_for_the_job() {
  World world = one_fault_world(4, Law::exponential(1e12));
  world.job.step_time = 10s;
  world.job.window = 24h;
  world.job.start.provisioning = Law::constant(30 * 60);
  world.job.start.scheduling = Law::constant(5 * 60);
  return world;
}

FaultKind of_the_job(Effect effect, Duration at) {
  FaultKind kind;
  kind.name = "of_the_job";
  kind.component = ComponentKind::job;
  kind.effect = effect;
  kind.remedy = Remedy::person;
  kind.life = Law::exponential(1e12);
  kind.trace = {{kStart + at, 0}};
  return kind;
}

TEST(LifeCycle, AClusterIsMadeOnceAndAgainAfterItWasGivenBack) {
  World world = made_for_the_job();
  world.faults[0].trace = {{kStart + 2h, 1}};  // a host is replaced: scheduled, on the cluster that stands
  world.inventory.spares = 1;
  FaultKind preempted = of_the_job(Effect::preempt, 10h);
  preempted.heals_after = Law::constant(6 * 3600);
  world.faults.push_back(preempted);
  PolicyConstants policies = instant_policies(10min);
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({});
  const auto lost = [&](Cause cause, Phase phase) { return at(figures.lost[cause.value], phase); };
  EXPECT_EQ(lost(kCauseStart, Phase::restarting), 35min);
  EXPECT_EQ(lost(cause_of(FaultKindId{0}), Phase::restarting), 5min);
  // Saved at the next step, held until the others are through, and started on a cluster that is made anew. From the stop on it
  // held no hosts, and does not pay for them.
  EXPECT_EQ(lost(kCausePreempted, Phase::restarting), 35min);
  EXPECT_GT(lost(kCausePreempted, Phase::planned), 6h - 10s);
  EXPECT_LE(lost(kCausePreempted, Phase::planned), 6h);
  EXPECT_EQ(figures.released, lost(kCausePreempted, Phase::planned));
  EXPECT_EQ(lost(kCausePreempted, Phase::recomputing), 0s);
  EXPECT_EQ(figures.planned_stops, 0U);
  EXPECT_EQ(figures.interruptions, 2U);
}

// Ten hosts for all. Others of six take this job's four every five hours, for two, once a tenth is not there; what its own policies
// do changes nothing of that.
TEST(LifeCycle, JobsOfHigherPriorityTakeTheGangUntilTheyEnd) {
  World world = made_for_the_job();
  world.shared.hosts = 10;
  world.shared.jobs = {{.name = "urgent",
                        .hosts = 6,
                        .priority = 1,
                        .arrives = Law::constant(5 * 3600),
                        .runs = Law::constant(2 * 3600)}};
  const auto figures_of = [&world](Duration interval) {
    const PolicyConstants policies = instant_policies(interval);
    Simulation simulation(world, policies);
    return simulation.run({});
  };
  EXPECT_EQ(figures_of(10min).preemptions, 0U);  // six and four are ten
  world.shared.hosts = 9;
  for (const Duration interval : {10min, 100min}) {
    const Figures figures = figures_of(interval);
    EXPECT_EQ(figures.preemptions, 4U);  // at 5, 10, 15 and 20 h
    const Duration away = at(figures.lost[kCausePreempted.value], Phase::planned);
    EXPECT_GT(away, 4 * (2h - 10s));
    EXPECT_LE(away, 4 * 2h);
    EXPECT_EQ(figures.released, away);
    EXPECT_EQ(at(figures.lost[kCausePreempted.value], Phase::restarting), 4 * 35min);
  }
}

// Many a start hangs, and nobody sees it: after two hours the hosts are given back, and a person mends it in an hour.
TEST(LifeCycle, ADeadlineBeforeRunningEndsAStartThatHangs) {
  World world = made_for_the_job();
  FaultKind hangs = of_the_job(Effect::hang, 0s);
  hangs.trace.clear();
  hangs.clock = FaultClock::start;
  hangs.component = ComponentKind::host;
  hangs.chance = Probability{0.15};
  world.faults = {hangs};
  world.people.response = Law::constant(3600);
  PolicyConstants policies = instant_policies(10min);
  policies.recovery.start_deadline = 2h;
  policies.recovery.retention = 10min;
  Simulation simulation(world, policies);
  std::uint32_t hung = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Figures& figures = simulation.run({.seed = seed});
    EXPECT_EQ(figures.released, figures.asked * 1h) << "seed " << seed;
    const Duration in_vain = figures.asked * (2h + 10min + 1h) + 35min;
    EXPECT_EQ(at(figures.phases, Phase::effective), 24h - in_vain) << "seed " << seed;
    hung += figures.asked;
  }
  EXPECT_GT(hung, 2U);
}

}  // namespace
}  // namespace gauntlet
