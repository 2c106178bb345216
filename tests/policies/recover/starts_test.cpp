// Starts: with and without the scheduler, those that fail, and those that go further back.
#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

/// The usual constants with these of the recovery; more restarts in place than any test here needs.
PolicyConstants recovering_with(RecoveryConstants recovery) {
  PolicyConstants constants = usual_constants();
  recovery.restarts_in_place = 9;
  recovery.relapse_window = 60s;
  constants.recovery = recovery;
  return constants;
}

Words fails_again(RecoveringJob& job) {
  EXPECT_THAT(job.failed("start"), ElementsAre("stop for a fault"));
  return job.done("stop");
}

TEST(Scheduling, IsLeftOutOnHostsThatAreHeld) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.reschedule = false}));
  job.run();
  job.suspect(3);
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts + ", in place"));
  job.done("start");
  job.suspect(3);
  job.done("stop");
  job.probe_finds(3);
  job.done("probe");
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
  // Whoever was new has been scheduled by then, if that start came through.
  EXPECT_THAT(job.failed("start"), ElementsAre("stop for a fault"));
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts));
  job.done("start");
  EXPECT_THAT((job.restart(), job.done("stop")), ElementsAre(kStarts + ", in place"));
}

TEST(Scheduling, IsLeftOutOfAHotUpdate) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.reschedule = false}));
  job.run();
  job.told(5min);
  job.done("checkpoint now", Saved{40});
  EXPECT_THAT(job.done("stop as planned"), ElementsAre("wake me at 3900s"));
  job.wait(5min);
  EXPECT_THAT(job.done("wake me at 3900s"), ElementsAre(kStarts + ", in place"));
}

TEST(Restoring, IsAsTheScenarioSays) {
  PolicyConstants constants = usual_constants();
  constants.names.restore = "every-rank";
  RecoveringJob job(Recovery::First::diagnosis, constants);
  job.run();
  job.restart();
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts + ", every rank reads"));
}

// --- starts that fail --------------------------------------------------------------------------------------------------

// 10 s, 20 s, and never more than 35 s; nobody is examined. One that succeeds ends the row.
TEST(FailedStarts, AreTriedAgainForEverAfterABackOffThatDoubles) {
  RecoveringJob job(Recovery::First::diagnosis,
                    recovering_with({.start_backoff = 10s, .longest_backoff = 35s}));
  Duration due = 0s;
  for (const Duration wait : {10s, 20s, 35s, 35s, 35s}) {
    due += wait;
    EXPECT_THAT(fails_again(job), ElementsAre("wake me at " + in_words(due)));
    EXPECT_EQ(job.stage(), "backing off");
    job.wait(wait);
    EXPECT_THAT(job.done("wake"), ElementsAre(kStarts));
  }
  job.run();
  job.restart();
  job.done("stop");
  EXPECT_THAT(fails_again(job), ElementsAre("wake me at " + in_words(due + 1h + 10s)));
}

// Not while a start is under way that may come through; if it does, nobody is asked.
TEST(FailedStarts, EndWithAPersonWhoNoticesThem) {
  const PolicyConstants for_ever = recovering_with({.start_backoff = 10s, .longest_backoff = 10s});
  RecoveringJob waits(Recovery::First::diagnosis, for_ever);
  fails_again(waits);
  EXPECT_THAT(waits.noticed(), ElementsAre("cancel", "stop for a fault"));
  EXPECT_THAT(waits.done("stop"), ElementsAre("ask a person"));
  EXPECT_THAT(waits.done("ask", Answered{HostId{}, false}), ElementsAre(kStarts));

  RecoveringJob fails(Recovery::First::diagnosis, for_ever);
  EXPECT_THAT(fails.noticed(), IsEmpty());
  EXPECT_THAT(fails_again(fails), ElementsAre("ask a person"));

  RecoveringJob succeeds(Recovery::First::diagnosis, for_ever);
  succeeds.noticed();
  succeeds.run();
  succeeds.suspect(3);
  EXPECT_THAT(succeeds.done("stop"), ElementsAre("probe 0 on host 3"));
}

TEST(FailedStarts, EndWithTheLastAttemptAndAPersonBeginsAnew) {
  RecoveringJob job(Recovery::First::diagnosis,
                    recovering_with({.reschedule = false, .start_attempts = 2, .retention = 600s}));
  for (int row = 0; row < 2; ++row) {
    EXPECT_THAT(fails_again(job), ElementsAre(kStarts));
    EXPECT_THAT(fails_again(job), ElementsAre("wake me at " + in_words(job.now() + 600s)));
    EXPECT_EQ(job.stage(), "keeping");
    job.wait(600s);
    EXPECT_THAT(job.done("wake"), ElementsAre("give the hosts back", "ask a person"));
    EXPECT_EQ(job.stage(), "released");
    EXPECT_THAT(job.done("give"), IsEmpty());
    // The hosts are another job's by then: the start goes through the scheduler.
    EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre(kStarts));
  }
  job.run();
  job.restart();
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts + ", in place"));
}

TEST(FailedStarts, KeepNoHostsForNoTimeAndReplaceWhomThePersonFinds) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.start_attempts = 1}));
  EXPECT_THAT(fails_again(job), ElementsAre("give the hosts back", "ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{6}, true}), ElementsAre("evict host 6", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

// A host that is named is examined. With a faulty one gone, the row of failures begins anew; without one it goes on.
TEST(FailedStarts, ReplaceWhoIsFoundFaulty) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.start_attempts = 1, .retention = 600s}));
  EXPECT_THAT(job.suspect(3), ElementsAre("cancel", "stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
  job.probe_finds(3);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 3", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
  job.suspect(4);
  EXPECT_THAT(job.done("stop for a fault"), ElementsAre("probe 0 on host 4"));
  EXPECT_THAT(job.done("probe"), ElementsAre("wake me at 600s"));
  EXPECT_EQ(job.stage(), "keeping");
}

TEST(FailedStarts, AreNotThoseThatAnOperatorGivesUp) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.start_attempts = 1, .start_backoff = 10s}));
  EXPECT_THAT(job.told(1h), ElementsAre("cancel", "stop as planned"));
  EXPECT_THAT(job.done("stop"), ElementsAre("wake me at 3600s"));
  EXPECT_EQ(job.stage(), "holding");
}

// --- back to an older checkpoint ---------------------------------------------------------------------------------------

Words loss_is_wrong(RecoveringJob& job) {
  EXPECT_THAT(job.suspect({.kind = SuspicionKind::restart, .sensed = kStart + job.now(), .wrong = true}),
              ElementsAre("stop for a fault"));
  return job.done("stop");
}

Words stops_again(RecoveringJob& job) {
  job.restart();
  return job.done("stop");
}

TEST(RollingBack, GoesFurtherEachTimeThatTheLossIsWrongInOneIncident) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.roll_back = 2}));
  job.run();
  EXPECT_THAT(loss_is_wrong(job), ElementsAre(kStarts + ", 2 checkpoints back"));
  job.done("start", Loaded{80});
  job.wait(59s);
  EXPECT_THAT(loss_is_wrong(job), ElementsAre(kStarts + ", 4 checkpoints back"));
  job.done("start", Loaded{60});
  job.wait(60s);  // the incident is over
  EXPECT_THAT(loss_is_wrong(job), ElementsAre(kStarts + ", 2 checkpoints back"));
}

TEST(RollingBack, BeginsWhereTheSameProgressIsLostAgain) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.roll_back = 2}));
  job.done("start", Loaded{0});
  job.wait(1h);
  EXPECT_THAT(stops_again(job), ElementsAre(kStarts));
  job.done("start", Loaded{100});  // progress since the start before
  job.wait(30s);
  EXPECT_THAT(stops_again(job), ElementsAre(kStarts));
  job.done("start", Loaded{100});  // none
  job.wait(30s);
  EXPECT_THAT(stops_again(job), ElementsAre(kStarts + ", 2 checkpoints back"));
  job.done("start", Loaded{60});
  job.wait(30s);
  EXPECT_THAT(stops_again(job), ElementsAre(kStarts + ", 4 checkpoints back"));
  job.done("start", Loaded{20});
  job.wait(60s);
  EXPECT_THAT(stops_again(job), ElementsAre(kStarts));
}

TEST(RollingBack, IsNoMatterOfAHostThatSlowsTheJobNorOfAPlannedStop) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.roll_back = 2}));
  job.done("start", Loaded{0});
  job.restart();
  job.done("stop");
  job.done("start", Loaded{0});
  job.told(0s);
  job.done("checkpoint now", Saved{3});
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
  job.done("start", Loaded{0});
  job.degraded(3);
  job.done("checkpoint now", Saved{3});
  job.done("stop");
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

/// A line that tells of wrong numbers, written at that time; `back` checkpoints may have been taken since they went wrong.
Suspicion wrong_numbers(Duration sensed, Duration since, std::uint32_t back) {
  return {.kind = SuspicionKind::restart,
          .sensed = kStart + sensed,
          .wrong = true,
          .wrong_since = kStart + since,
          .back = back};
}

TEST(RollingBack, GoesBeyondEveryCheckpointThatALineCallsWrong) {
  for (const std::uint32_t roll_back : {0U, 2U, 5U}) {
    RecoveringJob job(Recovery::First::diagnosis, recovering_with({.roll_back = roll_back}));
    job.run();
    EXPECT_THAT(job.suspect(wrong_numbers(job.now(), job.now() - 30min, 3)), ElementsAre("stop for a fault"));
    EXPECT_THAT(job.done("stop"),
                ElementsAre(kStarts + ", " + std::to_string(std::max(3U, roll_back)) + " checkpoints back"));
    job.run();
    job.restart();
    EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));  // not once more
  }
}

// In whatever stage the line finds a job that is down, the next start goes back.
TEST(RollingBack, IsWhatALineAsksOfAJobThatIsDownToo) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({}));
  job.run();
  job.suspect(3);
  job.done("stop");
  EXPECT_THAT(job.suspect(wrong_numbers(job.now(), job.now() - 30min, 3)), IsEmpty());
  EXPECT_EQ(job.stage(), "diagnosing");
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts + ", 3 checkpoints back"));
}

// A line from before the start: what it tells of may have been loaded, unless the start went back beyond it.
TEST(RollingBack, IsWhatALineFromBeforeTheStartAsksForOnce) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({}));
  job.run();
  const Duration stopped = job.now();
  job.restart();
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
  job.run();
  EXPECT_THAT(job.suspect(wrong_numbers(stopped - 1s, stopped - 20min, 2)), ElementsAre("stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts + ", 2 checkpoints back"));
  job.run();
  EXPECT_THAT(job.suspect(wrong_numbers(stopped - 1s, stopped - 20min, 2)),
              IsEmpty());  // another one's report of it
  EXPECT_THAT(job.suspect(wrong_numbers(stopped - 1s, stopped - 10min, 1)), IsEmpty());
  EXPECT_EQ(job.stage(), "running");
  EXPECT_THAT(job.suspect(wrong_numbers(stopped - 1s, stopped - 40min, 4)), ElementsAre("stop for a fault"));
}

TEST(RollingBack, OutlastsAStartThatFails) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.roll_back = 1, .start_backoff = 10s}));
  job.run();
  loss_is_wrong(job);
  fails_again(job);
  job.wait(10s);
  EXPECT_THAT(job.done("wake"), ElementsAre(kStarts + ", 1 checkpoints back"));
}

// --- other first steps -------------------------------------------------------------------------------------------------

TEST(FirstStep, RestartExaminesNobody) {
  PolicyConstants constants = usual_constants();  // one restart an incident
  RecoveringJob job(Recovery::First::restart_only, constants);
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
  job.done("start");
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{3}, true}), ElementsAre("evict host 3", "acquire a host"));
}

TEST(FirstStep, PersonWaitsForOneAtEveryStopButPlannedOnes) {
  RecoveringJob job(Recovery::First::person);
  job.run();
  job.restart();  // though a restart would cure it
  EXPECT_THAT(job.done("stop"), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre(kStarts));
  job.done("start");
  job.told(0s);
  job.done("checkpoint now", Saved{3});
  EXPECT_THAT(job.done("stop as planned"), ElementsAre(kStarts));
}

// --- a deadline before running -------------------------------------------------------------------------------------------

TEST(Deadline, OfAJobThatDoesNotTrainInTime) {
  RecoveringJob job(
      Recovery::First::diagnosis,
      recovering_with(
          {.start_backoff = 30min, .longest_backoff = 1h, .retention = 10min, .start_deadline = 1h}));
  EXPECT_THAT(fails_again(job), ElementsAre("wake me at 1800s"));
  job.wait(30min);
  EXPECT_THAT(job.done("wake me at 1800s"), ElementsAre(kStarts));
  job.wait(30min);
  EXPECT_THAT(job.done("wake me at 3600s"), ElementsAre("cancel", "stop for a fault"));
  EXPECT_THAT(job.failed("start"), IsEmpty());  // as cancelled
  EXPECT_THAT(job.done("stop"), ElementsAre("wake me at 4200s"));
  EXPECT_EQ(job.stage(), "keeping");
  job.wait(10min);
  EXPECT_THAT(job.done("wake me at 4200s"), ElementsAre("give the hosts back", "ask a person"));
  // Handed in again, it has as long again.
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre("wake me at 7800s", kStarts));
  EXPECT_THAT(job.done("start, "), ElementsAre("cancel"));
  EXPECT_EQ(job.stage(), "running");
}

TEST(Deadline, IsMetByAJobThatTrains) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.start_deadline = 1h}));
  EXPECT_THAT(job.done("start"), ElementsAre("cancel"));
  job.wait(2h);
  EXPECT_THAT(job.failed("wake"), IsEmpty());  // as cancelled
  EXPECT_EQ(job.stage(), "running");
}

TEST(Deadline, EndsTheWaitForAHost) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.start_deadline = 1h}));
  job.suspect(1);
  job.done("stop");
  job.probe_finds(1);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 1", "acquire a host"));
  job.wait(1h);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "give the hosts back", "ask a person"));
  EXPECT_THAT(job.failed("acquire"), IsEmpty());  // as cancelled
  // Its slot is still empty.
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre("wake me at 7200s", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

// --- hosts that others need more -----------------------------------------------------------------------------------------

TEST(Preemption, SavesAndGivesTheHostsBackForAsLong) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.reschedule = false}));
  job.run();
  EXPECT_THAT(job.told(2h, true), ElementsAre("checkpoint now", "wake me at 5400s"));
  EXPECT_THAT(job.done("checkpoint now", Saved{40}), ElementsAre("stop, preempted"));
  EXPECT_THAT(job.done("stop"), ElementsAre("give the hosts back", "wake me at 10800s"));
  job.wait(2h);
  EXPECT_THAT(job.done("wake me at 10800s"), ElementsAre(kStarts));  // not in place: it is scheduled anew
  job.done("start");
  // Nothing of it is left at the next planned stop.
  job.told(5min);
  job.done("checkpoint now", Saved{50});
  EXPECT_THAT(job.done("stop as planned"), ElementsAre("wake me at 11100s"));
}

TEST(Preemption, OfAJobThatIsHeldGivesItsHostsBackAtOnce) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({}));
  job.run();
  job.told(4h);
  job.done("checkpoint now", Saved{40});
  job.done("stop as planned");
  job.wait(1h);
  EXPECT_THAT(job.told(1h, true), ElementsAre("stop, preempted", "give the hosts back"));
  job.wait(3h);
  EXPECT_THAT(job.done("wake me at 18000s"), ElementsAre(kStarts));
}

TEST(Preemption, TakesAJobThatIsSavedForAnotherStop) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({}));
  job.run();
  job.told(1h);
  EXPECT_THAT(job.told(2h, true), IsEmpty());  // it is being saved already
  EXPECT_THAT(job.done("checkpoint now", Saved{40}), ElementsAre("stop, preempted"));
}

TEST(Deadline, IsNotPutOffByWhatADiagnosisFinds) {
  RecoveringJob job(Recovery::First::diagnosis, recovering_with({.start_deadline = 1h}));
  job.suspect(1);
  job.done("stop");
  job.wait(1h);
  EXPECT_THAT(job.done("wake"), IsEmpty());  // the suite ends first
  job.probe_finds(1);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 1", "give the hosts back", "ask a person"));
}

}  // namespace
}  // namespace gauntlet
