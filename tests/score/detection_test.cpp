// Which faults were detected, when, and what those cost that were missed. In all runs the job trains from 60 s on, 10 s a
// step.
#include "score/detection.hpp"

#include "tests/score/hand_made_run.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

const FaultScore& of(const Figures& figures, FaultKindId kind) { return figures.fault_scores[kind.value]; }

/// met, detected, missed, harmless.
std::vector<std::uint32_t> fates(const Figures& figures, FaultKindId kind) {
  const FaultScore& score = of(figures, kind);
  return {score.met, score.detected, score.missed, harmless(score)};
}
using Fates = std::vector<std::uint32_t>;

/// Within the width of a bin.
void expect_latency(const Figures& figures, FaultKindId kind, double p, double seconds) {
  const std::optional<Duration> latency = of(figures, kind).latencies.quantile(p);
  ASSERT_TRUE(latency);
  EXPECT_NEAR(to_seconds(*latency), seconds, 0.004 * seconds);
}

HandMadeRun training_job(Duration until) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, until);
  return run;
}

// --- faults that stop the job ---------------------------------------------------------------------------------------------

TEST(Detected, IsWhatAnOrderAnswers) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kCrash, 1);
  run.order(470s, Watch{.id = WatchId{8}, .who = {}, .until = Sample{1}});  // gathers: no answer
  run.stops(480s);
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kCrash, 0.5, 20);
  EXPECT_EQ(at(figures.phases, Phase::undetected), 20s);
}

TEST(Detected, AreAllThatStrikeBeforeTheOrderEachFromItsOwnOnset) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kCrash, 1);
  run.strikes(470s, kCrash, 2);
  run.stops(480s);
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(fates(figures, kCrash), (Fates{2, 2, 0, 0}));
  expect_latency(figures, kCrash, 0.5, 10);
  expect_latency(figures, kCrash, 1, 20);
  EXPECT_EQ(figures.detected, 1u);  // incidents
}

// It struck while probes were running: nobody has seen it, and it has stopped nothing yet.
TEST(Detected, FromItsReturnIsWhatStrikesWhileTheJobIsDown) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kHang, 1);
  run.stops(470s);
  run.strikes(480s, kCrash, 2);
  run.ends(500s, kHang, 1);  // with the restart
  run.starts(500s, 560s, 40);
  run.returns(560s, kCrash, 2);
  run.stops(575s);
  const Figures figures = run.finishes(600s);
  EXPECT_EQ(fates(figures, kHang), (Fates{1, 1, 0, 0}));
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kCrash, 0.5, 15);
}

TEST(Harmless, IsAStopThatIsOverBeforeTheJobIsUpAgain) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kCrash, 1);
  run.stops(470s);
  run.strikes(480s, kHang, 2);
  run.ends(500s, kHang, 2);
  run.starts(500s, 560s, 40);
  run.trains(560s, 660s, {.from_step = 40});
  EXPECT_EQ(fates(run.finishes(660s), kHang), (Fates{1, 0, 0, 1}));
}

TEST(Detected, IsWhatIsEvictedBeforeItCouldStopTheJob) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kHang, 1);
  run.stops(470s);
  run.strikes(480s, kCrash, 2);
  run.carried_out(520s, Evict{HostId{2}});
  const Figures figures = run.finishes(600s);
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kCrash, 0.5, 40);
}

// A host of the job fails while the job is down, in whatever stage, and is taken out before the next start: it interrupted the
// job, and it was detected, from its own onset on. It belongs to the incident that was open, and has none of its own.
TEST(Detected, IsAFaultThatStrikesWhileTheJobIsDownAndWhoseHostIsEvictedThen) {
  enum class Stage { diagnosing, replacing, holding, asking };
  for (const Stage stage : {Stage::diagnosing, Stage::replacing, Stage::holding, Stage::asking}) {
    SCOPED_TRACE(static_cast<int>(stage));
    HandMadeRun run = training_job(460s);
    if (stage == Stage::holding) {
      run.see(460s, StopRequest{JobId{0}, 3600s});
      run.answer(465s, run.order(460s, Stop{JobId{0}, StopReason::planned}));
    } else {
      run.strikes(460s, kCrash, 1);
      run.stops(470s);
    }
    if (stage == Stage::diagnosing) run.order(475s, Probe{ProbeId{0}, {}, WatchId{9}});
    if (stage == Stage::asking) run.order(475s, Ask{JobId{0}});
    if (stage == Stage::replacing) {
      run.carried_out(475s, Evict{HostId{1}});
      run.order(475s, Acquire{JobId{0}});
    }
    run.strikes(500s, kSwitch, 2);  // while no spare has come, or nobody has answered yet
    run.carried_out(540s, Evict{HostId{2}});
    const OrderId spare = run.order(540s, Acquire{JobId{0}});
    run.answer(600s, spare, Granted{HostId{5}});
    run.starts(700s, 760s, 40);
    run.trains(760s, 860s, {.from_step = 40});
    const Figures figures = run.finishes(860s);
    EXPECT_EQ(fates(figures, kSwitch), (Fates{1, 1, 0, 0}));
    expect_latency(figures, kSwitch, 1, 40);
    EXPECT_EQ(figures.interruptions, 2u);
    EXPECT_EQ(figures.faults[kSwitch.value], 1u);
    ASSERT_EQ(figures.incidents.size(), 1u);
    EXPECT_EQ(figures.incidents[0].stops, 2u);
    EXPECT_EQ(figures.incidents[0].evictions_wrong, 0u);
    EXPECT_EQ(of(figures, kSwitch).incidents, 0u);
    EXPECT_EQ(figures.evictions_wrong, 0u);
    EXPECT_EQ(figures.false_alarms, 0u);
    EXPECT_EQ(at(figures.phases, Phase::undetected), stage == Stage::holding ? 0s : 10s);
  }
}

// Two that fail at one instant while the job waits: each is detected from its own onset to its own eviction.
TEST(Detected, AreFaultsOfOneInstantWhileTheJobIsDownEachByItsOwnEviction) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kHang, 1);
  run.stops(470s);
  run.strikes(500s, kCrash, 2);
  run.strikes(500s, kCrash, 3);
  run.carried_out(520s, Evict{HostId{2}});
  run.carried_out(560s, Evict{HostId{3}});
  const Figures figures = run.finishes(900s);
  EXPECT_EQ(fates(figures, kCrash), (Fates{2, 2, 0, 0}));
  expect_latency(figures, kCrash, 0.5, 20);
  expect_latency(figures, kCrash, 1, 60);
  EXPECT_EQ(figures.interruptions, 3u);
  EXPECT_EQ(figures.evictions_right, 2u);
}

TEST(Missed, IsAStopThatNobodyAnswersUntilTheEnd) {
  HandMadeRun run = training_job(460s);
  run.strikes(460s, kHang, 1);
  run.strikes(500s, kCrash, 2);
  run.ends(520s, kHang, 1);  // it healed; the job stands still all the same
  const Figures figures = run.finishes(1460s);
  EXPECT_EQ(fates(figures, kHang), (Fates{1, 0, 1, 0}));
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 0, 1, 0}));
  EXPECT_EQ(of(figures, kHang).missed_cost, 1000s);
  EXPECT_EQ(of(figures, kCrash).missed_cost, 0s);  // the job stood still already
}

TEST(Detected, FromTheTimeItMetTheJobIsWhatCameWithASpare) {
  HandMadeRun run = training_job(460s);
  run.strikes(100s, kCrash, 4, /*on_job=*/false);
  run.strikes(460s, kHang, 1);
  run.stops(460s);
  run.replaces(465s, 1, 465s, 4);
  run.starts(470s, 500s, 40);
  run.meets(500s, kCrash, 4);
  run.stops(525s);
  const Figures figures = run.finishes(600s);
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kCrash, 0.5, 25);
}

// --- faults that do not ---------------------------------------------------------------------------------------------------

/// Host 3 is slow from the beginning: a step takes 12 s, so that a sixth of the time is lost. 60 steps by 780 s.
HandMadeRun slow_job() {
  HandMadeRun run;
  run.strikes(0s, kSlow, 3);
  run.started(60s);
  run.trains(60s, 780s, {.step = 12s});
  return run;
}

TEST(Detected, IsTheSlowHostThatIsEvicted) {
  HandMadeRun run = slow_job();
  run.stops(780s);
  run.replaces(785s, 3, 785s, 4);
  run.starts(785s, 845s, 60);
  run.trains(845s, 945s, {.from_step = 60});
  const Figures figures = run.finishes(945s);
  EXPECT_EQ(fates(figures, kSlow), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kSlow, 0.5, 780);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 120 + 5 + 60}}));
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(figures.interruptions, 0u);
  EXPECT_EQ(of(figures, kSlow).incidents, 0u);  // nothing had stopped
  EXPECT_EQ(figures.evictions_right, 1u);
}

// Its processes end their step first, as those of a real job do.
TEST(Detected, IsTheSlowHostOfAJobThatTrainsOnAfterTheOrderToStop) {
  HandMadeRun run = slow_job();
  run.stops(777s);
  run.replaces(785s, 3, 785s, 4);
  run.starts(785s, 845s, 60);
  run.trains(845s, 945s, {.from_step = 60});
  const Figures figures = run.finishes(945s);
  EXPECT_EQ(fates(figures, kSlow), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kSlow, 0.5, 777);
}

// A healthy host is taken out while another one is slow: that the job was slow does not make it right.
TEST(Missed, IsTheSlowHostWhereAnotherIsEvicted) {
  HandMadeRun run = slow_job();
  run.stops(780s);
  run.replaces(785s, 2, 785s, 4);
  run.starts(785s, 845s, 60);
  run.trains(845s, 965s, {.from_step = 60, .step = 12s});  // 10 steps
  const Figures figures = run.finishes(965s);
  EXPECT_EQ(fates(figures, kSlow), (Fates{1, 0, 1, 0}));
  EXPECT_EQ(of(figures, kSlow).missed_cost, 120s + 20s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 140}, {"false_alarm", 65}}));
  EXPECT_EQ(figures.false_alarms, 1u);
  EXPECT_EQ(figures.wrong_evictions, 65s);  // all that the false alarm cost
}

// Days of slowness and a crash that has nothing to do with it.
TEST(Missed, IsTheSlowHostWhereAStopIsForAnother) {
  HandMadeRun run = slow_job();
  run.strikes(780s, kCrash, 1);
  run.stops(790s);
  run.replaces(795s, 1, 795s, 4);
  run.starts(795s, 845s, 60);
  run.trains(845s, 965s, {.from_step = 60, .step = 12s});
  run.ends(900s, kSlow, 3);
  EXPECT_EQ(fates(run.finishes(965s), kSlow), (Fates{1, 0, 1, 0}));
}

TEST(Detected, IsWhatAnAlertNamesAndNoOther) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(100s, kSlow, 1);
  run.strikes(110s, kSlow, 3);
  run.trains(60s, 460s);
  run.order(300s, Alert{JobId{0}, component(HostId{3})});
  run.order(310s, Alert{JobId{0}, component(HostId{2})});
  const Figures figures = run.finishes(460s);
  EXPECT_EQ(fates(figures, kSlow), (Fates{2, 1, 1, 0}));
  expect_latency(figures, kSlow, 1, 190);
  EXPECT_EQ(figures.false_alerts, 1u);
}

TEST(Alerts, AreTrueAboutWarningsAndWhatHasJustHealed) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(100s, kWarning, 1);
  run.strikes(120s, kSlow, 2);
  run.ends(130s, kSlow, 2);
  run.trains(60s, 4060s);
  run.order(140s, Alert{JobId{0}, component(HostId{1})});
  run.order(150s, Alert{JobId{0}, component(HostId{2})});
  run.order(151s, Alert{JobId{0}, {}});
  run.order(3800s, Alert{JobId{0}, {}});  // more than an hour later
  const Figures figures = run.finishes(4060s);
  EXPECT_EQ(figures.false_alerts, 1u);
  EXPECT_EQ(fates(figures, kWarning), (Fates{1, 0, 0, 1}));
  EXPECT_EQ(fates(figures, kSlow), (Fates{1, 0, 1, 0}));
}

TEST(Missed, IsSilentCorruptionAndCostsTheStepsThatItSpoilt) {
  HandMadeRun run = training_job(1060s);
  run.strikes(505s, kCorrupt, 1);
  const Figures figures = run.finishes(1060s);
  EXPECT_EQ(fates(figures, kCorrupt), (Fates{1, 0, 1, 0}));
  EXPECT_EQ(of(figures, kCorrupt).missed_cost, 56 * kStep);
  EXPECT_EQ(of(figures, kCorrupt).missed_cost, figures.effective_corrupt);
}

TEST(Pauses, HealUnansweredWithoutHarmAndAreDetectedWhereSomebodyStopsThem) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kBlip, 1);
  run.pauses(460s, 465s);
  run.ends(465s, kBlip, 1);
  run.goes_on(465s, 865s);
  run.strikes(865s, kBlip, 1);
  run.pauses(865s, 895s);
  run.stops(895s);
  run.ends(896s, kBlip, 1);
  run.starts(900s, 960s, 80);
  run.trains(960s, 1060s, {.from_step = 80});
  run.strikes(1060s, kBlip, 2);
  run.pauses(1060s, 1360s);
  run.escalates(1360s, kBlip, 2);
  run.stops(1400s);
  const Figures figures = run.finishes(1500s);
  EXPECT_EQ(fates(figures, kBlip), (Fates{3, 2, 0, 1}));
  expect_latency(figures, kBlip, 0.5, 30);
  expect_latency(figures, kBlip, 1, 40);  // from when it was a stop
  EXPECT_EQ(of(figures, kBlip).incidents, 1u);
}

// --- all of a failure domain, and planned stops ---------------------------------------------------------------------------

TEST(Detected, IsASwitchWhoseHostIsEvicted) {
  HandMadeRun run = training_job(460s);
  run.strikes_all(460s, kSwitch, 2, 2);
  run.stops(470s);
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(fates(figures, kSwitch), (Fates{1, 1, 0, 0}));
  EXPECT_EQ(figures.incidents.at(0).component, (ComponentId{ComponentKind::tor, 1}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"switch", 40}}));
}

// The slow switch concerns a host of the job, though not with its first one.
TEST(Slowdown, IsChargedToADomainThatHoldsAnyHostOfTheJob) {
  HandMadeRun run;
  run.started(60s);
  run.strikes_all(60s, kSlow, 3, 3);  // 3 in the job, 4 and 5 stand by
  run.trains(60s, 180s, {.step = 12s});
  run.stops(180s);
  run.replaces(185s, 3, 185s, 4);
  run.starts(185s, 245s, 10);
  run.trains(245s, 365s, {.from_step = 10, .step = 12s});  // it has come with the spare
  const Figures figures = run.finishes(365s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 20 + 65 + 20}}));
  EXPECT_EQ(figures.false_alarms, 0u);
}

// Its first host is evicted in vain: the job is as slow as before.
TEST(Slowdown, OfTheJobItselfIsNoReasonToEvictAHost) {
  HandMadeRun run;
  run.started(60s);
  run.strikes_job(60s, kSlow);
  run.trains(60s, 180s, {.step = 12s});
  run.stops(180s);
  run.replaces(185s, 0, 185s, 4);
  run.starts(185s, 245s, 10);
  run.trains(245s, 365s, {.from_step = 10, .step = 12s});
  const Figures figures = run.finishes(365s);
  EXPECT_EQ(figures.evictions_wrong, 1u);
  EXPECT_EQ(fates(figures, kSlow), (Fates{1, 0, 1, 0}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"false_alarm", 65}, {"slow", 40}}));
}

TEST(PlannedStops, DrawnAsAFaultKindNeedNoAnswerAndAreChargedToThePlan) {
  HandMadeRun run = training_job(460s);
  run.strikes(450s, kUpdate, 0);
  run.see(450s, StopRequest{JobId{0}, 300s});
  run.order(460s, Stop{JobId{0}, StopReason::planned});
  run.ends(750s, kUpdate, 0);
  run.starts(760s, 820s, 40);
  run.trains(820s, 920s, {.from_step = 40});
  const Figures figures = run.finishes(920s);
  EXPECT_EQ(fates(figures, kUpdate), (Fates{1, 0, 0, 1}));
  EXPECT_EQ(figures.interruptions, 1u);
  EXPECT_EQ(figures.planned_stops, 1u);
  EXPECT_EQ(figures.unplanned_rate, 0);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"planned_stop", 360}}));
}

// --- faults at the first start ----------------------------------------------------------------------------------------------

// A container fails when the job is started for the first time: what follows is not a part of the start.
TEST(TheFirstStart, EndsWhereAFaultStopsIt) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(60s, kCrash, 1);
  run.stops(90s);
  run.replaces(95s, 1, 95s, 4);
  run.starts(95s, 155s, 0);
  run.trains(155s, 255s);
  const Figures figures = run.finishes(255s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60 + 60}, {"undetected", 30}, {"diagnosing", 5}, {"effective", 100}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"crash", 95}}));
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].opened, kStart + 60s);
  EXPECT_EQ(figures.incidents[0].detection_latency, 30s);
  EXPECT_EQ(figures.incidents[0].stops, 1u);
  EXPECT_TRUE(figures.incidents[0].handled);
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 1, 0, 0}));
}

// There from the beginning: the order that starts the job does not answer it.
TEST(TheFirstStart, AnswersNoFaultThatWasThereBefore) {
  HandMadeRun run;
  run.strikes(0s, kCrash, 1);
  run.started(60s);
  run.returns(60s, kCrash, 1);
  run.stops(80s);
  const Figures figures = run.finishes(100s);
  EXPECT_EQ(fates(figures, kCrash), (Fates{1, 1, 0, 0}));
  expect_latency(figures, kCrash, 1, 20);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"crash", 40}}));
}

}  // namespace
}  // namespace gauntlet
