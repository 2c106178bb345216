// Every single fault at every phase of an incident, on an 8-host cluster: the run ends, and its time adds up (the score
// ensures that). And what no chance should change does not.
#include "tests/campaign/small_worlds.hpp"

#include <gtest/gtest.h>

#include <set>

namespace gauntlet {
namespace {

TEST(Chaos, EveryFaultAtEveryMomentOfAnIncident) {
  // A first fault opens an incident at 1 h; a second one strikes at moments that cover all that follows it: detection
  // (up to 15 min), stop, diagnosis (2 min a round), spare, restart (70 s), recomputing (up to 10 min), and after.
  const std::vector<FaultKind> kinds = every_fault();
  std::uint32_t incidents = 0;
  for (std::size_t first = 0; first < kinds.size(); ++first) {
    for (std::size_t second = 0; second < kinds.size(); ++second) {
      for (const auto& detect :
           std::vector<std::vector<std::string>>{{"heartbeat", "log", "hang"}, {"hang"}}) {
        World world = eight_hosts();
        world.job.window = 8 * kHour;
        add_faults(world, kinds, 0.5);
        PolicyConstants policies = every_detector();
        policies.names.detect = detect;
        for (std::int64_t moment = 0; moment < 40 * 60; moment += 97) {
          world.faults[first].trace = {{kStart + kHour, 1}};
          const auto again =
              std::make_pair(kStart + kHour + moment * kSecond, std::uint32_t{moment % 2 == 0 ? 1u : 9u});
          world.faults[second].trace.push_back(again);
          if (first == second) world.faults[second].trace = {{kStart + kHour, 1}, again};
          Simulation simulation(world, policies);
          const Figures& figures =
              simulation.run({.seed = static_cast<std::uint64_t>(moment) + 1, .replica = 0});
          ASSERT_NE(figures.ending, Ending::gave_up)
              << kinds[first].name << " then " << kinds[second].name << " after " << moment
              << " s, detectors: " << detect.size();
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
  FaultKind flap = every_fault()[10];  // heals after a random time, and logs after another
  ASSERT_EQ(flap.name, "stall_short");
  flap.life = Law::exponential(20 * 3600);
  flap.heals_after = Law::exponential(30);
  flap.symptoms.log = PatternId{2};
  flap.symptoms.log_probability = {0.5};
  flap.symptoms.log_delay = Law::exponential(5);
  add_faults(world, {flap}, 1);
  const PolicyConstants policies = every_detector();
  Simulation alone(world, policies);
  alone.run({.seed = 5, .replica = 0});

  World more = world;
  FaultKind warning = every_fault().back();
  warning.symptoms.log = PatternId{3};  // nobody watches it, so that the policies do the same
  warning.symptoms.log_probability = {0.5};
  warning.heals_after = Law::exponential(60);
  warning.life = Law::exponential(3600);
  more.patterns.push_back("noise");
  add_faults(more, {flap, warning}, 1);
  Simulation both(more, policies);
  both.run({.seed = 5, .replica = 0});

  const auto times_of_flaps = [](const TruthLog& truth) {  // onsets and ends
    std::vector<Time> times;
    for (const Truth& each : truth) {
      if (each.kind == FaultKindId{0}) times.push_back(each.at);
    }
    return times;
  };
  ASSERT_FALSE(times_of_flaps(alone.cluster().truth()).empty());
  EXPECT_EQ(times_of_flaps(alone.cluster().truth()), times_of_flaps(both.cluster().truth()));
  EXPECT_EQ(transcript(alone.record()), transcript(both.record()));
  EXPECT_GT(both.cluster().truth().size(), 2 * alone.cluster().truth().size());
}

TEST(Chaos, ACheckpointBeforeAPlannedStopSurvivesAPauseAndDiesWithACrash) {
  // An operator wants a stop at 1 h 10 s; the checkpoint before it waits for the next step boundary.
  World world = eight_hosts();
  world.job.planned_stops = {{kStart + kHour + 3 * kSecond, 10 * kMinute}};
  FaultKind stall = every_fault()[10];
  ASSERT_EQ(stall.name, "stall_short");
  stall.heals_after = Law::constant(2);
  stall.trace = {{kStart + kHour + 4 * kSecond, 1}};  // before the boundary
  FaultKind crash = every_fault()[1];
  const PolicyConstants policies = every_detector();

  add_faults(world, {stall}, 1);
  Simulation paused(world, policies);
  const Figures& after_pause = paused.run({.seed = 1, .replica = 0});
  EXPECT_EQ(after_pause.planned_stops, 1u);
  EXPECT_GT(at(after_pause.phases, Phase::planned), 9 * kMinute);
  // What is lost is what was trained in the 30 s from the checkpoint's stall until it was durable.
  EXPECT_LE(at(after_pause.phases, Phase::recomputing), 30 * kSecond);

  // Steps end at multiples of 10 s after the start at 60 s, moved by stalls of 2 s every 10 min: the boundary after
  // 1 h 3 s is at 1 h 10 s at the latest, the checkpoint is durable 32 s later. A crash at 1 h 20 s comes between.
  crash.trace = {{kStart + kHour + 20 * kSecond, 1}};
  add_faults(world, {crash}, 1);
  Simulation crashed(world, policies);
  const Figures& after_crash = crashed.run({.seed = 1, .replica = 0});
  std::size_t failed = 0, saved = 0;
  for (const Observed& seen : crashed.record().observations) {
    const auto* outcome = std::get_if<Outcome>(&seen.what);
    if (outcome == nullptr) continue;
    failed += outcome->status == Status::failed ? 1 : 0;
    saved += std::holds_alternative<Saved>(outcome->result) ? 1 : 0;
  }
  EXPECT_EQ(saved, 0u);
  EXPECT_EQ(failed, 1u);
  EXPECT_GT(at(after_crash.phases, Phase::recomputing), Duration::zero());
}

TEST(Chaos, AFaultDuringAPlannedStopLeavesTheHoldPlanned) {
  // Stopped at 1 h for 30 min. A fault at 1 h 5 min is found and its host replaced at once; the rest of the hold is
  // planned all the same, and nobody waits for a spare while there is one.
  World world = eight_hosts();
  world.job.planned_stops = {{kStart + kHour, 30 * kMinute}};
  FaultKind crash = every_fault()[1];
  crash.trace = {{kStart + kHour + 5 * kMinute, 1}};
  add_faults(world, {crash}, 1);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  EXPECT_EQ(figures.evictions_right, 1u);
  EXPECT_GT(at(figures.phases, Phase::planned), 25 * kMinute);
  EXPECT_EQ(at(figures.phases, Phase::waiting_for_spare), Duration::zero());
}

TEST(Chaos, ACorruptionThatADetectorSeesIsNoFalseAlarm) {
  World world = eight_hosts();
  FaultKind corrupt = every_fault()[0];
  ASSERT_EQ(corrupt.name, "corrupt");
  corrupt.symptoms.log = PatternId{2};
  corrupt.symptoms.log_delay = Law::constant(60);
  corrupt.trace = {{kStart + kHour, 3}};
  add_faults(world, {corrupt}, 1);
  const PolicyConstants policies = every_detector();
  Simulation simulation(world, policies);
  const Figures& figures = simulation.run({.seed = 1, .replica = 0});
  EXPECT_EQ(figures.false_alarms, 0u);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].cause, cause_of(FaultKindId{0}));
  EXPECT_GT(figures.effective_corrupt, Duration::zero());
}

// A restart cures it, and the stop that its line asks for takes no time: it is answered all the same, and no false alarm. The line
// comes late, when checkpoints with wrong numbers have been taken: what is computed after the restart is right.
TEST(Chaos, ACorruptionThatARestartCuresIsAnsweredAndUndone) {
  for (const Duration stop_time : {Duration::zero(), 5 * kSecond}) {
    World world = eight_hosts();
    world.job.stop_time = stop_time;
    world.storage.keep_last = 10;
    FaultKind corrupt = every_fault()[0];
    corrupt.remedy = Remedy::restart;
    corrupt.symptoms.log = PatternId{2};
    corrupt.symptoms.log_delay = Law::constant(25 * 60);
    corrupt.trace = {{kStart + kHour, 3}, {kStart + 5 * kHour, 4}};
    add_faults(world, {corrupt}, 0);
    PolicyConstants policies = every_detector();
    policies.detection.lines = {{PatternId{2}, LineAction::restart}};
    policies.detection.corruption = {.lines = {PatternId{2}}, .late = 25 * kMinute};
    Simulation simulation(world, policies);
    const Figures& figures = simulation.run({.seed = 1, .replica = 0});
    EXPECT_EQ(figures.false_alarms, 0u);
    EXPECT_EQ(figures.incidents.size(), 2u);
    EXPECT_EQ(figures.fault_scores.at(0).detected, 2u);
    EXPECT_EQ(figures.fault_scores.at(0).missed, 0u);
    EXPECT_EQ(figures.asked, 0u);
    // Until the line alone; and of what was computed no more than that and two intervals is computed again, each time.
    EXPECT_LE(figures.effective_corrupt, 2 * 26 * kMinute);
    EXPECT_GT(figures.effective_corrupt, 2 * 24 * kMinute);
    EXPECT_LE(at(figures.phases, Phase::recomputing), 2 * (25 + 20) * kMinute);

    policies.detection
        .corruption = {};  // nobody knows what the line means: the newest checkpoint is as wrong
    Simulation unaware(world, policies);
    EXPECT_GT(unaware.run({.seed = 1, .replica = 0}).effective_corrupt, 10 * kHour);
  }
}

// Two detectors race. The exit of the culprit is seen first, and a restart cures the fault; the line of it comes when the job
// trains again, because it was written late, or because it was long under way. It stops nothing.
TEST(Chaos, ALineOfAFaultThatARestartHasCuredStopsNothing) {
  for (const auto action : {LineAction::restart, LineAction::replace}) {
    for (const bool written_late : {true, false}) {
      SCOPED_TRACE(std::string(action == LineAction::restart ? "restart" : "replace") +
                   (written_late ? ", written late" : ", long under way"));
      World world = eight_hosts();
      world.telemetry.clock_error = kSecond;
      FaultKind crash = every_fault()[3];
      ASSERT_EQ(crash.name, "crash_transient");
      crash.symptoms.log = PatternId{2};
      if (written_late) crash.symptoms.log_delay = Law::constant(1200);
      if (!written_late) world.telemetry.delay = 20 * kMinute;
      crash.trace = {{kStart + kHour, 1}, {kStart + 3 * kHour, 5}, {kStart + 6 * kHour, 2}};
      add_faults(world, {crash}, 0);
      PolicyConstants policies = every_detector();
      policies.names.detect = {"exit", "log"};
      policies.names.recover = "restart-in-place";
      policies.detection.clock_error = world.telemetry.clock_error;
      policies.detection.lines = {{PatternId{2}, action}};
      Simulation simulation(world, policies);
      const Figures& figures = simulation.run({.seed = 1, .replica = 0});
      EXPECT_EQ(figures.interruptions, 3u);
      EXPECT_EQ(figures.false_alarms, 0u);
      EXPECT_EQ(figures.incidents.size(), 3u);
      for (const Incident& incident : figures.incidents) EXPECT_EQ(incident.restarts, 1u);
    }
  }
}

// No stage of a recovery takes any time: what the report says of one and the same stop agrees.
TEST(Chaos, WhereNothingTakesAnyTimeTheReportAgreesWithItself) {
  for (const Remedy remedy : {Remedy::restart, Remedy::repair}) {
    World world = eight_hosts();
    world.job.stop_time = Duration::zero();
    world.job.start = {};
    world.storage = {};
    world.storage.free = true;
    world.repair.time = Law::constant(0);
    world.people.response = Law::constant(0);
    world.probes[0].time = Duration::zero();
    world.probes[0].false_positive = {0};
    FaultKind crash = every_fault()[1];
    crash.symptoms.log_delay = Law::constant(0);
    crash.remedy = remedy;
    crash.trace = {{kStart + kHour, 1}, {kStart + 3 * kHour, 5}, {kStart + 6 * kHour, 2}};
    add_faults(world, {crash}, 1);
    PolicyConstants policies = every_detector();
    policies.detection.gather = Duration::zero();
    if (remedy == Remedy::restart) policies.detection.lines = {{PatternId{2}, LineAction::restart}};
    Simulation simulation(world, policies);
    const Figures& figures = simulation.run({.seed = 1, .replica = 0});
    const FaultScore& score = figures.fault_scores.at(0);
    EXPECT_EQ(figures.interruptions, 3u);
    ASSERT_EQ(figures.incidents.size(), 3u);
    EXPECT_EQ(score.met, 3u);
    EXPECT_EQ(score.detected, 3u);
    EXPECT_EQ(score.latencies.quantile(1), Duration::zero());
    EXPECT_EQ(figures.detected, 3u);
    EXPECT_EQ(figures.detection_latency_sum, Duration::zero());
    EXPECT_EQ(score.incidents, 3u);
    EXPECT_EQ(score.handled, 3u);
    EXPECT_EQ(figures.false_alarms, 0u);
    EXPECT_EQ(figures.evictions_wrong, 0u);
    EXPECT_EQ(figures.evictions_right, remedy == Remedy::repair ? 3u : 0u);
    for (const Incident& incident : figures.incidents) {
      EXPECT_TRUE(incident.handled);
      EXPECT_EQ(incident.restarts, 1u);
      EXPECT_EQ(incident.stops, 1u);
    }
  }
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
