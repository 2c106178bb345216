// What was decided, held against what was true.
#include "score/decisions.hpp"

#include "score/spares.hpp"
#include "tests/score/hand_made_run.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using testing::ElementsAre;

// --- interruptions -----------------------------------------------------------------------------------------------------

TEST(Interruptions, AreNeverMerged) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  run.strikes(460s, kCrash, 2);  // at the same time
  run.strikes(465s, kHang, 3);   // while nobody has noticed
  run.stops(470s);
  run.strikes(480s, kCrash, 0);  // while the job is down
  run.see(485s, StopRequest{JobId{0}, 100s});
  run.see(486s, StopRequest{JobId{0}, 100s});
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(figures.interruptions, 6u);
  EXPECT_EQ(figures.planned_stops, 2u);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].stops, 6u);
  EXPECT_EQ(figures.incidents[0].cause, cause_of(kCrash));
  EXPECT_EQ(figures.incidents[0].component, component(HostId{1}));  // the first one's
}

TEST(Interruptions, AreStopsOfTheJobAlone) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(100s, kCrash, 4, /*on_job=*/false);
  run.strikes(110s, kWarning, 1);
  run.strikes(120s, kSlow, 1);
  run.strikes(130s, kCorrupt, 2);
  run.trains(60s, 460s);
  const Figures figures = run.finishes(460s);
  EXPECT_EQ(figures.interruptions, 0u);
  // On the job's hosts, stopping or not: crash, hang, slow, blip, corrupt, warning, switch, update, leak.
  EXPECT_THAT(figures.faults, ElementsAre(0, 0, 1, 0, 1, 1, 0, 0, 0));
}

// Told while it trains, the job goes down for it 15 s later: the stop belongs to that incident, whoever opens it.
TEST(Interruptions, APlannedStopBelongsToTheIncidentThatItMeets) {
  const auto stopped_by = [](bool fault_strikes_first) {
    HandMadeRun run;
    run.started(60s);
    run.trains(60s, 460s);
    run.see(445s, StopRequest{JobId{0}, 100s});
    run.order(445s, Checkpoint{JobId{0}});
    if (fault_strikes_first) run.strikes(460s, kCrash, 1);
    run.order(460s, Stop{JobId{0}, fault_strikes_first ? StopReason::fault : StopReason::planned});
    return run.finishes(500s);
  };
  EXPECT_EQ(stopped_by(false).incidents.at(0).cause, kCausePlanned);
  EXPECT_EQ(stopped_by(false).incidents.at(0).stops, 1u);
  EXPECT_EQ(stopped_by(true).incidents.at(0).cause, cause_of(kCrash));
  EXPECT_EQ(stopped_by(true).incidents.at(0).stops, 2u);
}

// --- mean time to failure ------------------------------------------------------------------------------------------------

// At risk: 2,000 s of wall time for kinds that strike always; for those that strike in training 400 + 1,000 s, with
// checkpoints and recomputing but without pauses and gaps.
TEST(UnplannedRate, CountsEachKindOnItsClock) {
  HandMadeRun run;
  run.on_training_clock(kHang);
  run.on_training_clock(kBlip);
  run.started(60s);
  run.trains(60s, 460s, {.cadence = {.first = 20, .every = 20, .stall = 6s}});
  run.strikes(460s, kCrash, 1);
  run.stops(470s);
  run.replaces(475s, 1, 475s, 4);
  run.starts(475s, 900s, 20);
  run.trains(900s, 1100s, {.from_step = 20});
  run.strikes(1100s, kBlip, 2);
  run.pauses(1100s, 1200s);
  run.ends(1200s, kBlip, 2);
  run.goes_on(1200s, 2000s);
  run.strikes(2000s, kHang, 0);
  const Figures figures = run.finishes(2000s);
  EXPECT_DOUBLE_EQ(figures.unplanned_rate, 1.0 / 2000 + 1.0 / 1400);
}

TEST(UnplannedRate, LeavesOutPlannedStopsFalseAlarmsReturnsAndOtherHosts) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(100s, kCrash, 4, /*on_job=*/false);
  run.see(200s, StopRequest{JobId{0}, 100s});
  run.strikes(460s, kCrash, 1);
  run.stops(470s);
  run.starts(475s, 500s, 0);
  run.returns(500s, kCrash, 1);
  EXPECT_DOUBLE_EQ(run.finishes(1000s).unplanned_rate, 1.0 / 1000);
}

TEST(UnplannedRate, CountsAPauseThatBecameAStop) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kBlip, 1);
  run.pauses(460s, 760s);
  run.escalates(760s, kBlip, 1);
  EXPECT_DOUBLE_EQ(run.finishes(1000s).unplanned_rate, 1.0 / 1000);
}

// The fault is there when the job is started, and the start never ends.
TEST(UnplannedRate, OfTheTrainingClockCountsWallTimeWhereTheJobNeverTrains) {
  HandMadeRun run;
  run.on_training_clock(kHang);
  run.strikes(0s, kHang, 1);
  run.stops(600s);
  EXPECT_DOUBLE_EQ(run.finishes(1000s).unplanned_rate, 1.0 / 1000);
}

// --- evictions and spares ------------------------------------------------------------------------------------------------

/// A job that is down from 460 s to the end.
HandMadeRun stopped_job() {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  run.stops(460s);
  return run;
}

TEST(Evictions, AreRightWhereOnlyRepairRemovesTheFault) {
  HandMadeRun run = stopped_job();
  run.strikes(461s, kHang, 2);  // a restart would have done
  run.strikes(462s, kWarning, 0);
  run.carried_out(470s, Evict{HostId{1}});
  run.carried_out(471s, Evict{HostId{2}});
  run.carried_out(472s, Evict{HostId{3}});  // healthy
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(figures.evictions_right, 1u);
  EXPECT_EQ(figures.evictions_wrong, 2u);
  EXPECT_EQ(figures.incidents.at(0).evictions_right, 1u);
  EXPECT_EQ(figures.incidents.at(0).evictions_wrong, 2u);
}

TEST(Evictions, OfAnyHostUnderAFaultySwitchAreRight) {
  HandMadeRun run = stopped_job();
  run.strikes_all(465s, kSwitch, 2, 2);
  run.carried_out(470s, Evict{HostId{3}});
  run.carried_out(471s, Evict{HostId{0}});
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(figures.evictions_right, 1u);
  EXPECT_EQ(figures.evictions_wrong, 1u);
}

TEST(Evictions, AreWrongOnceTheFaultHasEndedAndBeforeItBegins) {
  HandMadeRun run = stopped_job();
  run.strikes(461s, kSlow, 2);
  run.ends(465s, kSlow, 2);
  run.strikes(480s, kSlow, 3);
  run.carried_out(470s, Evict{HostId{2}});
  run.carried_out(479s, Evict{HostId{3}});
  EXPECT_EQ(run.finishes(500s).evictions_wrong, 2u);
}

// Twice struck and healed: it flaps. Its NIC came and went, and repair is what it needs.
TEST(Evictions, OfAHostBetweenTwoFlapsAreRight) {
  const auto wrong_after = [](const std::vector<std::pair<Duration, std::uint32_t>>& flaps, Duration evicted,
                              bool serves_again = false) {
    HandMadeRun run;
    run.started(60s);
    for (const auto& [at, host] : flaps) {
      run.strikes(at, kSlow, host);
      run.ends(at + 5s, kSlow, host);
    }
    run.trains(60s, evicted - 10s);
    run.stops(evicted - 10s);
    run.replaces(evicted, 2, evicted + 1s, 4);
    if (!serves_again) return run.finishes(evicted + 100s).evictions_wrong;
    run.see(evicted + 5s, HostReturned{HostId{2}});
    run.carried_out(evicted + 5s, Readmit{HostId{2}});
    run.replaces(evicted + 10s, 4, evicted + 11s, 2);  // host 4 is healthy
    run.replaces(evicted + 20s, 2, evicted + 21s, 5);  // and so is host 2 by then
    return run.finishes(evicted + 100s).evictions_wrong;
  };
  EXPECT_EQ(wrong_after({{100s, 2}, {400s, 2}}, 1000s), 0u);
  EXPECT_EQ(wrong_after({{100s, 2}}, 1000s), 1u);             // it healed, and that was all
  EXPECT_EQ(wrong_after({{100s, 2}, {400s, 3}}, 1000s), 1u);  // another host's
  EXPECT_EQ(wrong_after({{100s, 2}, {400s, 2}}, 12h + 100s), 0u);
  EXPECT_EQ(wrong_after({{100s, 2}, {400s, 2}}, 12h + 101s), 1u);  // longer ago than the window
  EXPECT_EQ(wrong_after({{100s, 2}, {400s, 2}}, 1000s, true), 2u);
}

// A restart would have cured what came and went, or nothing was lost by it.
TEST(Evictions, ForWhatRepairDoesNotRemoveAreWrongHoweverOftenItCame) {
  for (const FaultKindId kind : {kBlip, kLeak, kWarning}) {
    HandMadeRun run;
    run.started(60s);
    for (const Duration at : {100s, 200s, 300s}) {
      run.strikes(at, kind, 2);
      run.ends(at + 5s, kind, 2);
    }
    run.trains(60s, 400s);
    run.stops(400s);
    run.replaces(410s, 2, 411s, 4);
    EXPECT_EQ(run.finishes(500s).evictions_wrong, 1u) << kind.value;
  }
}

TEST(Evictions, OfHostsThatStandByBelongToNoIncident) {
  HandMadeRun run = stopped_job();
  run.strikes(461s, kCrash, 4, /*on_job=*/false);
  run.carried_out(470s, Evict{HostId{4}});
  run.carried_out(470s, Evict{HostId{5}});
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(figures.evictions_right, 1u);
  EXPECT_EQ(figures.evictions_wrong, 1u);
  EXPECT_EQ(figures.incidents.at(0).evictions_right, 0u);
  EXPECT_EQ(figures.incidents.at(0).evictions_wrong, 0u);
  EXPECT_EQ(figures.spares_max_in_use, 2u);
}

// A host that is in repair already cannot be evicted again.
TEST(Evictions, ThatFailAreNone) {
  HandMadeRun run = stopped_job();
  run.carried_out(470s, Evict{HostId{4}});
  run.answer(471s, run.order(471s, Evict{HostId{4}}), {}, Status::failed);
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(figures.evictions_wrong, 1u);
  EXPECT_EQ(figures.spares_max_in_use, 1u);
}

TEST(Spares, InUseAreThoseGrantedOrInRepairAtMost) {
  HandMadeRun run = stopped_job();
  run.replaces(470s, 1, 470s, 4);  // 1 in use
  run.see(480s, HostReturned{HostId{1}});
  run.carried_out(480s, Readmit{HostId{1}});  // 0
  run.replaces(490s, 2, 490s, 1);             // 1
  run.carried_out(491s, Evict{HostId{5}});    // 2
  run.see(495s, HostReturned{HostId{5}});
  run.carried_out(495s, Readmit{HostId{5}});  // 1
  EXPECT_EQ(run.finishes(500s).spares_max_in_use, 2u);
  const std::vector<SparesInUse> changes = {{kStart, 0},        {kStart + 470s, 1}, {kStart + 480s, 0},
                                            {kStart + 490s, 1}, {kStart + 491s, 2}, {kStart + 495s, 1}};
  EXPECT_EQ(spares_in_use(run.record()), changes);
}

// In drills an order takes time, and other observations come before its outcome. A host counts from the outcome on that grants or
// evicts it, and a host that comes back from the order on.
TEST(Spares, ChangeInTheOrderOfTimeWhereAnOutcomeComesAfterOtherObservations) {
  HandMadeRun run = stopped_job();
  run.see(470s, HostReturned{HostId{9}});
  const OrderId acquire = run.order(470s, Acquire{JobId{0}});
  const OrderId evict = run.order(471s, Evict{HostId{5}});
  run.see(472s, StopRequest{JobId{0}, 60s});
  run.answer(474s, evict);  // 1 in use
  run.see(475s, HostReturned{HostId{5}});
  const OrderId readmit = run.order(475s, Readmit{HostId{5}});  // 0
  run.answer(478s, acquire, Granted{HostId{4}});                // 1
  run.answer(480s, readmit);
  run.carried_out(480s, StandBy{HostId{4}});  // 0
  const std::vector<SparesInUse> changes = {
      {kStart, 0}, {kStart + 474s, 1}, {kStart + 475s, 0}, {kStart + 478s, 1}, {kStart + 480s, 0}};
  EXPECT_EQ(spares_in_use(run.record()), changes);
  EXPECT_EQ(run.finishes(500s).spares_max_in_use, 1u);
}

// An order answers the observation before it, whose time it has. What follows in the record at that same time changes the entry of that
// time, and makes no second one.
TEST(Spares, OfSeveralChangesAtOneTimeTheLastOneCounts) {
  HandMadeRun run = stopped_job();
  run.replaces(470s, 1, 470s, 4);                       // 1 in use
  run.carried_out(470s, StandBy{HostId{4}});            // 0
  run.answer(480s, run.order(470s, Evict{HostId{5}}));  // 1, from 480 s on
  run.see(480s, HostReturned{HostId{5}});
  run.carried_out(480s, Readmit{HostId{5}});  // 0
  EXPECT_EQ(spares_in_use(run.record()), (std::vector<SparesInUse>{{kStart, 0}}));
  EXPECT_EQ(run.finishes(500s).spares_max_in_use, 1u);
}

TEST(Spares, InUseAreNoMoreThanThereAre) {
  HandMadeRun run = stopped_job();
  run.replaces(470s, 1, 470s, 4);
  run.replaces(470s, 2, 470s, 5);
  run.order(470s, Evict{HostId{3}});
  run.order(470s, Acquire{JobId{0}});  // none is left
  EXPECT_EQ(run.finishes(500s).spares_max_in_use, 2u);
}

TEST(Spares, UnusedAreZero) { EXPECT_EQ(stopped_job().finishes(500s).spares_max_in_use, 0u); }

}  // namespace
}  // namespace gauntlet
