// Where the time goes, in runs made by hand. In all of them the job starts at 0 s and trains from 60 s on, 10 s a step,
// so that a stop at 505 s finds 44 steps complete and 5 s in the next one.
#include "score/phases.hpp"

#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

TEST(Phases, WithoutFaultsAreTheStartAndSteps) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 1060s);
  const Figures figures = run.finishes(1060s);

  EXPECT_EQ(figures.ending, Ending::completed);
  EXPECT_EQ(figures.wall, 1060s);
  EXPECT_EQ(phases(figures), (Seconds{{"effective", 1000}, {"restarting", 60}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}}));
  EXPECT_EQ(figures.steps, 100);
  EXPECT_EQ(figures.iterations, 100);
  EXPECT_EQ(figures.iteration_time, 1000s);
  EXPECT_TRUE(figures.incidents.empty());
  EXPECT_EQ(figures.interruptions, 0u);
}

TEST(Phases, OfAFaultThatIsDetectedAndRecovered) {
  HandMadeRun run;
  run.started(60s);
  // 60 steps to 660 s, a checkpoint to 666 s, then 29 steps to 956 s and 9 s of the next one.
  run.trains(60s, 965s, {.cadence = {.first = 60, .every = 60, .stall = 6s}});
  run.strikes(965s, kCrash, 2);
  run.stops(980s);
  const OrderId probe = run.order(985s, Probe{.probe = ProbeId{0}, .who = {}, .report = {}});
  run.answer(1105s, probe, Probed{component(HostId{2}), Verdict::faulty, 1});
  run.replaces(1105s, 2, 1110s, 4);
  run.starts(1110s, 1180s, 60);
  // From step 60 on: the 29 lost steps by 1,470 s, and 3 new ones by the end.
  run.trains(1180s, 1500s, {.from_step = 60});
  const Figures figures = run.finishes(1500s);

  EXPECT_EQ(phases(figures), (Seconds{{"effective", 920},       // 60 + 29 + 3 steps
                                      {"checkpoint_stall", 6},  //
                                      {"undetected", 24},       // 965 to 980, and the 9 s that were cut
                                      {"diagnosing", 125},  // stop at 980, probe at 985, both over at 1,105
                                      {"waiting_for_spare", 5},  // 1,105 to 1,110
                                      {"restarting", 60 + 70},   // the first start, and 1,110 to 1,180
                                      {"recomputing", 290}}));   // 29 steps
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"checkpoint", 6}, {"crash", 24 + 125 + 5 + 70 + 290}}));
  EXPECT_EQ(figures.steps, 92);
  EXPECT_EQ(figures.iterations, 92 + 29);
  EXPECT_EQ(figures.iteration_time, 1210s);
  EXPECT_EQ(figures.interruptions, 1u);
  EXPECT_EQ(figures.detected, 1u);
  EXPECT_EQ(figures.detection_latency_sum, 15s);

  ASSERT_EQ(figures.incidents.size(), 1u);
  const Incident& incident = figures.incidents[0];
  EXPECT_EQ(incident.opened, kStart + 965s);
  EXPECT_EQ(incident.closed, kStart + 1470s);
  EXPECT_EQ(incident.cause, cause_of(kCrash));
  EXPECT_EQ(incident.component, component(HostId{2}));
  EXPECT_TRUE(incident.detected);
  EXPECT_EQ(incident.detection_latency, 15s);
  EXPECT_EQ(incident.stops, 1u);
  EXPECT_EQ(incident.restarts, 1u);
  EXPECT_EQ(incident.evictions_right, 1u);
  EXPECT_EQ(incident.evictions_wrong, 0u);
  EXPECT_EQ(incident.asked, 0u);
  EXPECT_EQ(incident.steps_lost, 29);
  EXPECT_EQ(named(incident.lost), (Seconds{{"undetected", 24},
                                           {"diagnosing", 125},
                                           {"waiting_for_spare", 5},
                                           {"restarting", 70},
                                           {"recomputing", 290}}));
}

TEST(Phases, OfAHangThatNobodyNoticesUntilTheRunEnds) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);
  run.strikes(505s, kHang, 1);
  const Figures figures = run.finishes(2000s, Ending::gave_up);

  EXPECT_EQ(figures.ending, Ending::gave_up);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60}, {"effective", 440}, {"undetected", 5 + 1495}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"hang", 1500}}));
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_FALSE(figures.incidents[0].detected);
  EXPECT_EQ(figures.incidents[0].closed, kStart + 2000s);
  EXPECT_EQ(figures.detected, 0u);
  EXPECT_EQ(figures.interruptions, 1u);
}

// Watches and timers ask for information. Evictions and readmissions of hosts that stand by, and checkpoint intervals,
// are about something else. Only the stop, 15 min after the onset, answers the hang.
TEST(Phases, AHangIsUndetectedUntilAnOrderAnswersIt) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);
  run.strikes(505s, kHang, 1);
  run.order(600s, Watch{.id = WatchId{8}, .who = {}, .until = Silence{10s}});
  run.order(600s, Unwatch{WatchId{8}});
  run.order(600s, Wake{kStart + 700s});
  run.order(700s, CheckpointEvery{JobId{0}, 300s});
  run.order(700s, Readmit{HostId{9}});
  run.order(700s, Evict{HostId{5}});
  run.stops(1405s);
  const Figures figures = run.finishes(1505s);

  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60}, {"effective", 440}, {"undetected", 905}, {"diagnosing", 100}}));
  EXPECT_EQ(figures.incidents.at(0).detection_latency, 900s);
}

TEST(Phases, WhoeverAlertsAPersonHasDetectedTheFault) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);
  run.strikes(505s, kHang, 1);
  run.order(605s, Alert{JobId{0}, {}});
  run.stops(805s);
  run.starts(810s, 870s, 0);
  run.order(820s, Alert{JobId{0}, {}});  // by now it changes nothing
  const Figures figures = run.finishes(870s);

  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60 + 60}, {"effective", 440}, {"undetected", 105}, {"diagnosing", 205}}));
  EXPECT_EQ(figures.incidents.at(0).detection_latency, 100s);
}

TEST(Phases, APersonWhoIsAskedDiagnoses) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);
  run.strikes(505s, kCrash, 1);
  run.stops(505s);
  const OrderId ask = run.order(510s, Ask{JobId{0}});
  run.answer(4110s, ask, Answered{HostId{1}, true});
  run.replaces(4110s, 1, 4110s, 4);
  run.starts(4110s, 4170s, 44);
  const Figures figures = run.finishes(4170s);

  // 5 s of a cut step, 3,605 s from the stop to the answer; hosts are granted at once.
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60 + 60}, {"effective", 440}, {"undetected", 5}, {"diagnosing", 3605}}));
  EXPECT_EQ(figures.asked, 1u);
  EXPECT_EQ(figures.incidents.at(0).asked, 1u);
  EXPECT_EQ(figures.incidents.at(0).detection_latency, 0s);
  EXPECT_TRUE(figures.incidents.at(0).detected);
}

TEST(Phases, OfAPlannedStop) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 900s);  // 84 steps
  run.see(895s, StopRequest{JobId{0}, 3600s});
  const OrderId checkpoint = run.order(895s, Checkpoint{JobId{0}});
  run.trains(900s, 910s, {.from_step = 84, .cadence = {.first = 0, .every = kNoCheckpoint, .stall = 6s}});
  run.answer(910s, checkpoint, Saved{84});
  run.answer(915s, run.order(910s, Stop{JobId{0}, StopReason::planned}));
  run.order(915s, Wake{kStart + 4500s});
  run.starts(4500s, 4570s, 84);
  run.trains(4570s, 4600s, {.from_step = 84});
  const Figures figures = run.finishes(4600s);

  EXPECT_EQ(phases(figures), (Seconds{{"effective", 870},       // 84 + 3 steps
                                      {"checkpoint_stall", 6},  // 900 to 906
                                      {"planned", 3594},  // 910 to 4,500, and 4 s of a step that were cut
                                      {"restarting", 60 + 70}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"checkpoint", 6}, {"planned_stop", 3664}}));
  EXPECT_EQ(figures.planned_stops, 1u);
  EXPECT_EQ(figures.interruptions, 1u);
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(figures.unplanned_rate, 0);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].cause, kCausePlanned);
  EXPECT_EQ(figures.incidents[0].opened, kStart + 910s);
  EXPECT_EQ(figures.incidents[0].closed, kStart + 4570s);  // nothing to regain
  EXPECT_EQ(figures.incidents[0].steps_lost, 0);
  EXPECT_EQ(figures.incidents[0].stops, 1u);
  EXPECT_FALSE(figures.incidents[0].detected);
}

// The ranks of a real job end some time after the order. What they train until then counts, and the stop is not a false alarm.
TEST(Phases, OfAPlannedStopThatTheJobNeedsTimeFor) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 910s);  // 85 steps
  run.see(905s, StopRequest{JobId{0}, 3600s});
  const OrderId stop = run.order(906s, Stop{JobId{0}, StopReason::planned});
  run.answer(912s, stop);
  run.order(912s, Wake{kStart + 4505s});
  run.starts(4505s, 4575s, 85);
  run.trains(4575s, 4605s, {.from_step = 85});
  const Figures figures = run.finishes(4605s);

  EXPECT_EQ(phases(figures), (Seconds{{"effective", 880}, {"planned", 3595}, {"restarting", 60 + 70}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"planned_stop", 3665}}));
  EXPECT_EQ(figures.false_alarms, 0u);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].opened, kStart + 910s);
  EXPECT_EQ(figures.incidents[0].cause, kCausePlanned);
  EXPECT_EQ(figures.incidents[0].stops, 1u);
}

// The order comes while the job starts, and its ranks train for a moment all the same.
TEST(Phases, OfAPlannedStopOrderedDuringTheStart) {
  HandMadeRun run;
  run.see(50s, StopRequest{JobId{0}, 200s});
  const OrderId stop = run.order(51s, Stop{JobId{0}, StopReason::planned});
  run.started(60s);
  run.trains(60s, 80s);  // 2 steps, which nobody saves
  run.answer(85s, stop);
  run.starts(251s, 311s, 0);
  run.trains(311s, 351s);
  const Figures figures = run.finishes(351s);
  EXPECT_EQ(figures.false_alarms, 0u);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].cause, kCausePlanned);
  EXPECT_EQ(figures.incidents[0].stops, 1u);
}

// The same of a stop for a rank that ended: its exit is no false alarm either.
TEST(Phases, OfAStopForAnExitThatTheJobNeedsTimeFor) {
  HandMadeRun run;
  run.started(60s);
  run.order(60s, Watch{.id = WatchId{7}, .signal = Signal::process_exit, .who = {}, .until = {}});
  run.trains(60s, 510s);
  run.see(506s, Seen{.watch = WatchId{7}, .who = {}, .sensed = {}});
  run.answer(512s, run.order(506s, Stop{JobId{0}}));
  run.starts(600s, 660s, 45);
  run.trains(660s, 760s, {.from_step = 45});
  const Figures figures = run.finishes(760s);
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"unattributed", 150}}));
}

// A fault strikes between the order and the end: the fault opens the incident, and the planned stop pays for its hold.
TEST(Phases, OfAFaultBetweenAPlannedStopAndTheEnd) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.see(495s, StopRequest{JobId{0}, 1000s});
  const OrderId stop = run.order(496s, Stop{JobId{0}, StopReason::planned});
  run.strikes(500s, kHang, 1);
  run.answer(505s, stop);
  run.starts(1495s, 1555s, 44);
  run.trains(1555s, 1655s, {.from_step = 44});
  const Figures figures = run.finishes(1655s);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_TRUE(figures.incidents[0].unplanned);
  EXPECT_EQ(figures.incidents[0].stops, 2u);
  EXPECT_EQ(figures.false_alarms, 0u);
}

// The request comes while an earlier incident regains its steps. That one is over before the ranks end, and has no part in it.
TEST(Phases, OfAPlannedStopOrderedBeforeAnIncidentIsOver) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);  // 44 steps
  run.strikes(500s, kHang, 1);
  run.stops(510s);
  run.starts(520s, 580s, 42);  // regains 42 to 44 by 600 s
  run.trains(580s, 610s, {.from_step = 42});
  run.see(595s, StopRequest{JobId{0}, 100s});
  const OrderId stop = run.order(596s, Stop{JobId{0}, StopReason::planned});
  run.answer(612s, stop);
  run.starts(700s, 760s, 45);
  run.trains(760s, 860s, {.from_step = 45});
  const Figures figures = run.finishes(860s);
  ASSERT_EQ(figures.incidents.size(), 2u);
  EXPECT_EQ(figures.incidents[0].stops, 1u);
  EXPECT_EQ(figures.incidents[1].cause, kCausePlanned);
  EXPECT_EQ(figures.incidents[1].stops, 1u);
}

// The stop for a fault goes on as the planned one, which pays for the time that it asks for; the fault pays for the rest.
TEST(Phases, OfAPlannedStopWithinAnIncident) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.strikes(500s, kHang, 1);
  run.stops(510s);
  run.see(512s, StopRequest{JobId{0}, 1000s});
  run.carried_out(530s, Stop{JobId{0}, StopReason::planned});
  run.starts(1512s, 1572s, 44);
  run.trains(1572s, 1672s, {.from_step = 44});
  const Figures figures = run.finishes(1672s);

  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60 + 60},
                                      {"effective", 540},
                                      {"undetected", 10},
                                      {"diagnosing", 20},
                                      {"planned", 982}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"hang", 10 + 20 + 60}, {"planned_stop", 982}}));
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].stops, 2u);
  EXPECT_EQ(figures.interruptions, 2u);
}

// The hold ends at 1,512 s, though a second stop that was announced later is over at 523 s. A host that comes meanwhile is not
// waited for.
TEST(Phases, OfTwoPlannedStopsHoldUntilTheLaterEnd) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.strikes(500s, kCrash, 1);
  run.stops(505s);
  run.see(512s, StopRequest{JobId{0}, 1000s});
  run.see(513s, StopRequest{JobId{0}, 10s});
  run.carried_out(530s, Stop{JobId{0}, StopReason::planned});
  run.replaces(540s, 1, 900s, 4);
  run.starts(1512s, 1572s, 44);
  run.trains(1572s, 1672s, {.from_step = 44});

  EXPECT_EQ(phases(run.finishes(1672s)), (Seconds{{"restarting", 60 + 60},
                                                  {"effective", 540},
                                                  {"undetected", 5},
                                                  {"diagnosing", 25},
                                                  {"planned", 982}}));
}

TEST(Phases, OfAFalseAlarm) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.stops(500s);
  run.order(505s, Probe{.probe = ProbeId{0}, .who = {}, .report = {}});
  run.starts(565s, 625s, 0);
  run.trains(625s, 1125s);  // the 44 steps by 1,065 s, and 6 new ones
  const Figures figures = run.finishes(1125s);

  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60 + 60}, {"effective", 500}, {"diagnosing", 65}, {"recomputing", 440}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"false_alarm", 65 + 60 + 440}}));
  EXPECT_EQ(figures.false_alarms, 1u);
  EXPECT_EQ(figures.interruptions, 0u);
  EXPECT_EQ(figures.detected, 0u);
  EXPECT_EQ(figures.unplanned_rate, 0);
  EXPECT_EQ(figures.incidents.at(0).cause, kCauseFalseAlarm);
  EXPECT_EQ(figures.incidents.at(0).stops, 0u);
  EXPECT_EQ(figures.incidents.at(0).closed, kStart + 1065s);
}

// It is stopped for the sake of a host that flaps, between two flaps: what that costs is the flapping's.
TEST(Phases, OfAStopForAHostThatFlaps) {
  const auto stopped_after = [](std::vector<Duration> flaps) {
    HandMadeRun run;
    run.started(60s);
    for (const Duration at : flaps) {
      run.strikes(at, kSlow, 2);
      run.ends(at + 1s, kSlow, 2);
    }
    run.trains(60s, 500s);
    run.stops(500s);
    run.replaces(505s, 2, 515s, 4);
    run.starts(515s, 575s, 44);
    run.trains(575s, 675s, {.from_step = 44});
    return run.finishes(675s);
  };
  const Figures twice = stopped_after({100s, 400s});
  EXPECT_EQ(causes(twice), (Seconds{{"start", 60}, {"slow", 75}}));
  EXPECT_EQ(twice.false_alarms, 0u);
  EXPECT_EQ(twice.incidents.at(0).component, component(HostId{2}));
  EXPECT_EQ(twice.wrong_evictions, 0s);
  const Figures once = stopped_after({400s});
  EXPECT_EQ(causes(once), (Seconds{{"start", 60}, {"false_alarm", 75}}));
  EXPECT_EQ(once.wrong_evictions, 75s);
}

// The restart does not remove the fault: it strikes again with the first step, and the gap goes on, unnoticed again.
TEST(Phases, OfAFaultThatReturnsAtTheStart) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.strikes(500s, kCrash, 2);
  run.stops(510s);
  run.starts(515s, 575s, 0);
  run.returns(575s, kCrash, 2);
  run.stops(585s);
  run.order(590s, Probe{.probe = ProbeId{0}, .who = {}, .report = {}});
  run.replaces(650s, 2, 650s, 4);
  run.starts(650s, 710s, 0);
  run.trains(710s, 1150s);
  const Figures figures = run.finishes(1150s);

  EXPECT_EQ(phases(figures), (Seconds{{"effective", 440},
                                      {"undetected", 10 + 10},       // 500 to 510, 575 to 585
                                      {"diagnosing", 5 + 65},        // 510 to 515, 585 to 650
                                      {"restarting", 60 + 60 + 60},  //
                                      {"recomputing", 440}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"crash", 20 + 70 + 120 + 440}}));
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].restarts, 2u);
  EXPECT_EQ(figures.incidents[0].stops, 1u);  // one fault
  EXPECT_EQ(figures.interruptions, 1u);
  EXPECT_EQ(figures.detected, 1u);
  EXPECT_EQ(figures.incidents[0].closed, kStart + 1150s);
}

// The same, some steps later: what was redone is lost again.
TEST(Phases, OfAFaultThatReturnsBeforeTheMarkIsRegained) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.strikes(500s, kCrash, 2);
  run.stops(500s);
  run.starts(505s, 565s, 0);
  run.trains(565s, 603s);  // 3 steps and 8 s
  run.returns(603s, kCrash, 2);
  run.stops(613s);
  run.replaces(618s, 2, 618s, 4);
  run.starts(618s, 678s, 0);
  run.trains(678s, 1128s);  // 44 old steps by 1,118 s, and one new
  const Figures figures = run.finishes(1128s);

  EXPECT_EQ(phases(figures), (Seconds{{"effective", 450},
                                      {"undetected", 8 + 10},  // a step that was cut, 603 to 613
                                      {"diagnosing", 5 + 5},   //
                                      {"restarting", 180},     //
                                      {"recomputing", 30 + 440}}));
  EXPECT_EQ(figures.iterations, 44 + 3 + 44 + 1);
  EXPECT_EQ(figures.incidents.size(), 1u);
}

TEST(Phases, ASecondFaultWithinAnIncidentJoinsIt) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.strikes(500s, kCrash, 2);
  run.stops(510s);
  run.replaces(515s, 2, 515s, 4);
  run.starts(515s, 600s, 0);
  run.trains(600s, 800s);  // 20 of the 44 lost steps
  run.strikes(800s, kHang, 1);
  run.stops(815s);
  run.starts(820s, 900s, 0);
  run.trains(900s, 1400s);  // 44 old steps by 1,340 s, and 6 new ones
  run.strikes(1400s, kHang, 1);
  const Figures figures = run.finishes(1500s);

  EXPECT_EQ(phases(figures), (Seconds{{"effective", 500},
                                      {"undetected", 10 + 15 + 100},
                                      {"diagnosing", 5 + 5},
                                      {"restarting", 60 + 85 + 80},
                                      {"recomputing", 200 + 440}}));
  // All of it is the crash's, up to 1,340 s; the last hang opens an incident of its own.
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"crash", 10 + 15 + 10 + 165 + 640}, {"hang", 100}}));
  ASSERT_EQ(figures.incidents.size(), 2u);
  EXPECT_EQ(figures.incidents[0].stops, 2u);
  EXPECT_EQ(figures.incidents[0].closed, kStart + 1340s);
  EXPECT_EQ(figures.incidents[0].steps_lost, 44);
  EXPECT_EQ(figures.incidents[0].detection_latency, 10s);  // of the fault that opened it
  EXPECT_EQ(figures.incidents[1].stops, 1u);
  EXPECT_EQ(figures.incidents[1].cause, cause_of(kHang));
  EXPECT_EQ(figures.interruptions, 3u);
  EXPECT_EQ(figures.detected, 1u);
}

// A checkpoint after 40 steps, redone or not, takes 6 s: below the mark that is time for redoing, at the mark it is not.
TEST(Phases, ACheckpointBelowTheMarkIsPartOfRecomputing) {
  const auto run_with_checkpoints_after = [](std::int64_t steps) {
    HandMadeRun run;
    run.started(60s);
    run.trains(60s, 500s);
    run.strikes(500s, kHang, 1);
    run.stops(500s);
    run.starts(505s, 600s, 0);
    run.trains(600s, 1200s, {.cadence = {.first = steps, .every = steps, .stall = 6s}});
    return run.finishes(1200s);
  };
  // After 20 and 40 steps it takes 440 + 12 s to the mark of 44. Then the step to 45 ends at 1,062 s, another 13 and
  // 8 s of the next one by 1,200 s: 1,062 + 130 + 8; the one after 60 steps is not reached.
  const Figures below = run_with_checkpoints_after(20);
  EXPECT_EQ(
      phases(below),
      (Seconds{{"restarting", 60 + 95}, {"effective", 440 + 148}, {"diagnosing", 5}, {"recomputing", 452}}));
  EXPECT_EQ(below.incidents.at(0).closed, kStart + 1052s);
  EXPECT_EQ(below.incidents.at(0).lost[static_cast<std::size_t>(Phase::recomputing)], 452s);

  // After 44 steps: the mark is regained first, at 1,040 s; then 6 s, 15 steps and 4 s.
  const Figures at_it = run_with_checkpoints_after(44);
  EXPECT_EQ(phases(at_it), (Seconds{{"restarting", 60 + 95},
                                    {"effective", 440 + 154},
                                    {"diagnosing", 5},
                                    {"recomputing", 440},
                                    {"checkpoint_stall", 6}}));
  EXPECT_EQ(at_it.incidents.at(0).closed, kStart + 1040s);
}

// A checkpoint at once after the load, cut 4 s into it: it is below the mark, though no step was redone.
TEST(Phases, ACheckpointBelowTheMarkThatIsCutIsPartOfRecomputingToo) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 500s);
  run.strikes(500s, kHang, 1);
  run.stops(500s);
  run.starts(505s, 600s, 30);
  run.trains(600s, 604s, {.from_step = 30, .cadence = {.first = 0, .every = kNoCheckpoint, .stall = 6s}});
  run.strikes(604s, kHang, 1);
  const Figures figures = run.finishes(704s);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 155},
                                      {"effective", 440},
                                      {"diagnosing", 5},
                                      {"recomputing", 4},
                                      {"undetected", 100}}));
}

TEST(Phases, ACheckpointThatAFaultCutsStalledTheJobUntilThen) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 663s, {.cadence = {.first = 60, .every = 60, .stall = 6s}});  // 60 steps by 660 s
  run.strikes(663s, kCrash, 0);
  const Figures figures = run.finishes(700s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60}, {"effective", 600}, {"checkpoint_stall", 3}, {"undetected", 37}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"checkpoint", 3}, {"crash", 37}}));
}

}  // namespace
}  // namespace gauntlet
