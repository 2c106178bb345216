// Every single fault at every phase of an incident, on an 8-host cluster: the run ends, and its time adds up (the score
// ensures that). And what no chance should change does not.
#include <gtest/gtest.h>

#include <set>

#include "tests/campaign/small_worlds.hpp"

namespace gauntlet {
namespace {

TEST(Chaos, EveryFaultAtEveryMomentOfAnIncident) {
  // A first fault opens an incident at 1 h; a second one strikes at moments that cover all that follows it: detection
  // (up to 15 min), stop, diagnosis (2 min a round), spare, restart (70 s), recomputing (up to 10 min), and after.
  const std::vector<FaultKind> kinds = every_fault();
  std::uint32_t incidents = 0;
  for (std::size_t first = 0; first < kinds.size(); ++first) {
    for (std::size_t second = 0; second < kinds.size(); ++second) {
      for (const auto& detect : std::vector<std::vector<std::string>>{{"heartbeat", "log", "hang"}, {"hang"}}) {
        World world = eight_hosts();
        world.job.window = 8 * kHour;
        add_faults(world, kinds, 0.5);
        PolicyConstants policies = every_detector();
        policies.names.detect = detect;
        for (std::int64_t moment = 0; moment < 40 * 60; moment += 97) {
          world.faults[first].trace = {{kStart + kHour, 1}};
          const auto again = std::make_pair(kStart + kHour + moment * kSecond, std::uint32_t{moment % 2 == 0 ? 1u : 9u});
          world.faults[second].trace.push_back(again);
          if (first == second) world.faults[second].trace = {{kStart + kHour, 1}, again};
          Simulation simulation(world, policies);
          const Figures& figures = simulation.run({.seed = static_cast<std::uint64_t>(moment) + 1, .replica = 0});
          ASSERT_NE(figures.ending, Ending::gave_up) << kinds[first].name << " then " << kinds[second].name << " after "
                                                     << moment << " s, detectors: " << detect.size();
          EXPECT_EQ(figures.wall, 8 * kHour);
          EXPECT_GT(figures.steps, 0);
          incidents += static_cast<std::uint32_t>(figures.incidents.size());
          world.faults[second].trace.clear();
        }
      }
    }
  }
  EXPECT_GT(incidents, 1000u);
}

TEST(Chaos, SweptSeedsRunTwiceGiveTheSameFingerprintAndDifferFromEachOther) {
  World world = eight_hosts();
  std::vector<FaultKind> faults = every_fault();
  for (FaultKind& kind : faults) kind.life = Law::gamma(60 * 3600, 0.7);
  add_faults(world, faults, 0.7);
  world.telemetry.gap_mtbf = 30 * kHour;
  world.telemetry.gap_duration = Law::exponential(80);
  const PolicyConstants policies = every_detector();
  Simulation once(world, policies), twice(world, policies);
  std::set<std::uint64_t> fingerprints;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const std::uint64_t first = once.run({.seed = seed, .replica = 3}).fingerprint;
    Simulation fresh(world, policies);
    EXPECT_EQ(first, fresh.run({.seed = seed, .replica = 3}).fingerprint) << "seed " << seed;
    EXPECT_EQ(first, twice.run({.seed = seed, .replica = 3}).fingerprint) << "seed " << seed;
    fingerprints.insert(first);
  }
  EXPECT_EQ(fingerprints.size(), 100u);
}

TEST(Chaos, AddingAFaultKindDoesNotDisturbTheOthers) {
  World world = eight_hosts();
  FaultKind crash = every_fault()[1];
  crash.life = Law::exponential(40 * 3600);
  add_faults(world, {crash}, 1);
  const PolicyConstants policies = every_detector();
  Simulation alone(world, policies);
  alone.run({.seed = 5, .replica = 0});

  World more = world;
  FaultKind warning = every_fault().back();
  warning.symptoms.log.reset();  // nobody sees it, so that the policies do the same
  warning.life = Law::exponential(3600);
  add_faults(more, {crash, warning}, 1);
  Simulation both(more, policies);
  both.run({.seed = 5, .replica = 0});

  const auto onsets = [](const TruthLog& truth) {
    std::vector<Time> times;
    for (const Truth& each : truth) {
      if (each.kind == FaultKindId{0} && each.what == TruthKind::onset) times.push_back(each.at);
    }
    return times;
  };
  ASSERT_FALSE(onsets(alone.cluster().truth()).empty());
  EXPECT_EQ(onsets(alone.cluster().truth()), onsets(both.cluster().truth()));
  EXPECT_GT(both.cluster().truth().size(), 2 * alone.cluster().truth().size());
}

TEST(Chaos, WithoutFaultsTheWallTimeIsTheClosedForm) {
  // 1,000 steps of 10 s, a checkpoint of 2 s after every 60th step but the last one's end, one start of 60 s without a
  // checkpoint to load: 60 + 10,000 + floor(999 / 60) x 2 = 10,092 s.
  World world = eight_hosts();
  world.job.window = Duration::zero();
  world.job.steps = 1000;
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  EXPECT_EQ(figures.ending, Ending::completed);
  EXPECT_EQ(figures.wall, 10'092 * kSecond);
  EXPECT_EQ(at(figures.phases, Phase::effective), 10'000 * kSecond);
  EXPECT_EQ(at(figures.phases, Phase::checkpoint_stall), 32 * kSecond);
  EXPECT_EQ(at(figures.phases, Phase::restarting), 60 * kSecond);
  EXPECT_TRUE(figures.incidents.empty());
}

TEST(Chaos, AJobThatCannotGoOnGivesUp) {
  // One host more is broken than there are spares, and repair takes for ever: 12 h without progress, and it is over.
  World world = eight_hosts();
  world.job.window = Duration::zero();
  world.job.steps = 1'000'000;
  world.repair.time = Law::constant(1e9);
  FaultKind crash = every_fault()[1];
  crash.trace = {{kStart + kHour, 0}, {kStart + 2 * kHour, 1}, {kStart + 3 * kHour, 2}};
  add_faults(world, {crash}, 1);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  EXPECT_EQ(figures.ending, Ending::gave_up);
  EXPECT_GT(at(figures.phases, Phase::waiting_for_spare), 11 * kHour);
  EXPECT_LT(figures.wall, 16 * kHour);
}

}  // namespace
}  // namespace gauntlet
