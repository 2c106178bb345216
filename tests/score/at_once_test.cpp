// Runs in which nothing takes any time: what has one time is told apart by the order in which it happened. A stop, its
// answers and the start after it all have the time of the stop; steps alone take 10 s.
#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

/// Trains from the beginning until then, after a first start that took no time.
HandMadeRun training_at_once_until(Duration until) {
  HandMadeRun run;
  run.started(0s);
  run.trains(0s, until);
  return run;
}

/// A stop and a start, both carried out at once.
void stops_and_starts(HandMadeRun& run, Duration at, std::int64_t loaded,
                      StopReason reason = StopReason::fault) {
  run.carried_out(at, Stop{JobId{0}, reason});
  run.carried_out(at, Start{JobId{0}, 600s}, Loaded{loaded});
}

const FaultScore& score_of(const Figures& figures, FaultKindId kind) {
  return figures.fault_scores[kind.value];
}

void expect_detected_at_once(const Figures& figures, FaultKindId kind) {
  EXPECT_EQ(score_of(figures, kind).met, 1u);
  EXPECT_EQ(score_of(figures, kind).detected, 1u);
  EXPECT_EQ(score_of(figures, kind).missed, 0u);
  EXPECT_EQ(score_of(figures, kind).latencies.quantile(1), Duration::zero());
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(figures.interruptions, kind == kHang ? 1u : 0u);
}

// Detected, handled, with a latency of zero: all three, or none of them.
TEST(AtOnce, AStopIsDetectedAndHandledWithALatencyOfZero) {
  HandMadeRun run = training_at_once_until(460s);
  run.strikes(460s, kHang, 1);
  stops_and_starts(run, 460s, 40);
  run.ends(460s, kHang, 1);
  run.of_that_order();
  run.trains(460s, 560s, {.from_step = 40});
  const Figures figures = run.finishes(560s);
  expect_detected_at_once(figures, kHang);
  EXPECT_EQ(figures.detected, 1u);
  EXPECT_EQ(figures.detection_latency_sum, 0s);
  ASSERT_EQ(figures.incidents.size(), 1u);
  const Incident& incident = figures.incidents[0];
  EXPECT_EQ(incident.cause, cause_of(kHang));
  EXPECT_TRUE(incident.detected);
  EXPECT_TRUE(incident.handled);
  EXPECT_EQ(incident.restarts, 1u);
  EXPECT_EQ(incident.closed, kStart + 460s + 6 * kStep);
  EXPECT_EQ(score_of(figures, kHang).incidents, 1u);
  EXPECT_EQ(score_of(figures, kHang).handled, 1u);
  EXPECT_EQ(phases(figures), (Seconds{{"effective", 500}, {"recomputing", 60}}));
}

// The stop takes some time, and the start none: the latency is that of the stop.
TEST(AtOnce, AStartAfterAStopThatWasSeenLateLeavesItsLatency) {
  HandMadeRun run = training_at_once_until(460s);
  run.strikes(460s, kHang, 1);
  stops_and_starts(run, 463s, 46);
  run.ends(463s, kHang, 1);
  run.of_that_order();
  run.trains(463s, 563s, {.from_step = 46});
  const Figures figures = run.finishes(563s);
  EXPECT_EQ(figures.detected, 1u);
  EXPECT_EQ(figures.detection_latency_sum, 3s);
  EXPECT_EQ(figures.incidents.at(0).restarts, 1u);
  EXPECT_TRUE(figures.incidents.at(0).handled);
  EXPECT_EQ(phases(figures), (Seconds{{"effective", 560}, {"undetected", 3}}));
}

// No progress is lost either: the incident takes no time at all, and is one.
TEST(AtOnce, AnIncidentThatTakesNoTimeIsOne) {
  for (const StopReason reason : {StopReason::fault, StopReason::planned}) {
    HandMadeRun run = training_at_once_until(460s);
    if (reason == StopReason::planned) run.see(460s, StopRequest{JobId{0}, 0s});
    stops_and_starts(run, 460s, 46, reason);
    run.trains(460s, 560s, {.from_step = 46});
    const Figures figures = run.finishes(560s);
    ASSERT_EQ(figures.incidents.size(), 1u);
    const Incident& incident = figures.incidents[0];
    EXPECT_EQ(incident.cause, reason == StopReason::fault ? kCauseFalseAlarm : kCausePlanned);
    EXPECT_EQ(incident.opened, incident.closed);
    EXPECT_EQ(incident.stops, reason == StopReason::fault ? 0u : 1u);
    EXPECT_EQ(figures.false_alarms, reason == StopReason::fault ? 1u : 0u);
    EXPECT_EQ(phases(figures), (Seconds{{"effective", 560}}));
  }
}

// Nobody is hurt by the first start, nor by a change of pace, though it is at a boundary as a stop may be.
TEST(AtOnce, AFirstStartIsNoIncident) {
  HandMadeRun run = training_at_once_until(460s);
  run.trains(460s, 520s, {.from_step = 46, .step = 12s});
  EXPECT_TRUE(run.finishes(520s).incidents.empty());
}

// What a restart cures is there when the job is stopped, and gone with the start of that very instant.
TEST(AtOnce, TheStopThatCuresAFaultAnswersIt) {
  for (const FaultKindId kind : {kCorrupt, kLeak}) {
    HandMadeRun run = training_at_once_until(460s);
    run.strikes(400s, kind, 1);
    stops_and_starts(run, 460s, 40);
    run.ends(460s, kind, 1);
    run.of_that_order();
    run.trains(460s, 560s, {.from_step = 40});
    const Figures figures = run.finishes(560s);
    EXPECT_EQ(score_of(figures, kind).detected, 1u) << kind.value;
    EXPECT_EQ(score_of(figures, kind).missed, 0u) << kind.value;
    EXPECT_NEAR(to_seconds(score_of(figures, kind).latencies.quantile(1).value_or(0s)), 60, 0.3)
        << kind.value;
    EXPECT_EQ(figures.false_alarms, 0u) << kind.value;
    EXPECT_EQ(figures.incidents.at(0).cause, cause_of(kind)) << kind.value;
  }
}

// ... and where it healed just before, nothing was there.
TEST(AtOnce, AStopAfterAFaultHasHealedAnswersNothing) {
  HandMadeRun run = training_at_once_until(460s);
  run.strikes(400s, kLeak, 1);
  run.ends(460s, kLeak, 1);
  stops_and_starts(run, 460s, 40);
  run.trains(460s, 560s, {.from_step = 40});
  const Figures figures = run.finishes(560s);
  EXPECT_EQ(score_of(figures, kLeak).missed, 1u);
  EXPECT_EQ(figures.false_alarms, 1u);
}

// Evicted, granted and repaired at once: the eviction was right though the host is well again at that time.
TEST(AtOnce, AnEvictionIsRightByWhatWasWrongWhenItWasOrdered) {
  HandMadeRun run = training_at_once_until(460s);
  run.strikes(460s, kCrash, 1);
  run.carried_out(460s, Stop{JobId{0}});
  run.carried_out(460s, Evict{HostId{1}});
  run.ends(460s, kCrash, 1);
  run.of_that_order();
  run.carried_out(460s, Acquire{JobId{0}}, Granted{HostId{4}});
  run.carried_out(460s, Start{JobId{0}, 600s}, Loaded{40});
  run.trains(460s, 560s, {.from_step = 40});
  const Figures figures = run.finishes(560s);
  EXPECT_EQ(figures.evictions_right, 1u);
  EXPECT_EQ(figures.evictions_wrong, 0u);
  EXPECT_EQ(figures.incidents.at(0).evictions_right, 1u);
  EXPECT_EQ(figures.detected, 1u);
  EXPECT_TRUE(figures.incidents.at(0).handled);
}

// A slow host is taken out in a stop that takes no time: it is what the stop was for.
TEST(AtOnce, AStopThatTakesNoTimeIsForTheHostThatIsEvictedInIt) {
  HandMadeRun run;
  run.started(0s);
  run.strikes(0s, kSlow, 3);
  run.trains(0s, 600s, {.step = 12s});
  run.carried_out(600s, Stop{JobId{0}});
  run.carried_out(600s, Evict{HostId{3}});
  run.carried_out(600s, Acquire{JobId{0}}, Granted{HostId{4}});
  run.carried_out(600s, Start{JobId{0}, 600s}, Loaded{50});
  run.trains(600s, 700s, {.from_step = 50});
  const Figures figures = run.finishes(700s);
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(score_of(figures, kSlow).detected, 1u);
  EXPECT_EQ(figures.incidents.at(0).cause, cause_of(kSlow));
}

// The start strikes what stops the job: the stop of that same instant was not for it, and the next one is.
TEST(AtOnce, WhatTheStartBringsIsAnsweredByTheNextStopAlone) {
  HandMadeRun run = training_at_once_until(460s);
  run.strikes(460s, kHang, 1);
  stops_and_starts(run, 460s, 46);
  run.ends(460s, kHang, 1);
  run.of_that_order();
  run.strikes(460s, kCrash, 2);
  run.of_that_order();
  stops_and_starts(run, 490s, 46);
  run.ends(490s, kCrash, 2);
  run.of_that_order();
  run.trains(490s, 590s, {.from_step = 46});
  const Figures figures = run.finishes(590s);
  EXPECT_EQ(score_of(figures, kHang).latencies.quantile(1), Duration::zero());
  EXPECT_EQ(score_of(figures, kCrash).detected, 1u);
  EXPECT_NEAR(to_seconds(score_of(figures, kCrash).latencies.quantile(1).value_or(0s)), 30, 0.2);
  EXPECT_EQ(at(figures.phases, Phase::undetected), 30s);
  EXPECT_EQ(figures.interruptions, 2u);
}

}  // namespace
}  // namespace gauntlet
