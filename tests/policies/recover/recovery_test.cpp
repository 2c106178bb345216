#include "policies/recover/recovery.hpp"

#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

PolicyConstants with(RecoveryConstants recovery) {
  PolicyConstants constants = usual_constants();
  constants.recovery = recovery;
  return constants;
}

// --- replace -----------------------------------------------------------------------------------------------------------

TEST(Replace, ExaminesTheSuspectReplacesItAndStarts) {
  RecoveringJob job;
  EXPECT_TRUE((job.done("start", Loaded{0}), job.training_began()));
  job.wait(1h);
  EXPECT_THAT(job.suspect(3), ElementsAre("stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
  job.probe_finds(3);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 3", "acquire a host"));
  EXPECT_FALSE(job.in_job(3));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
  EXPECT_TRUE(job.in_job(8));
  EXPECT_FALSE(job.training_began());
  EXPECT_THAT(job.done("start", Loaded{100}), IsEmpty());
  EXPECT_TRUE(job.training_began());
  EXPECT_EQ(job.stage(), "running");
}

TEST(Replace, WaitsForAHostForEachThatItEvicts) {
  RecoveringJob job;
  job.run();
  job.suspect_somebody();
  job.gathered();
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on every host of the job"));
  job.probe_finds(3);
  job.probe_finds(5);
  EXPECT_THAT(job.done("probe"),
              ElementsAre("evict host 3", "acquire a host", "evict host 5", "acquire a host"));
  EXPECT_THAT(job.done("evict host 3"), IsEmpty());
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), IsEmpty());
  EXPECT_EQ(job.stage(), "replacing");
  EXPECT_THAT(job.done("acquire", Granted{HostId{9}}), ElementsAre(kStarts));
}

TEST(Replace, TakesNoAnswerForTheOneThatItWaitsFor) {
  RecoveringJob job;
  job.run();
  job.suspect(3);
  job.suspect(4);  // while the job stops
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3", "probe 0 on host 4"));
  EXPECT_THAT(job.done("probe 0 on host 4"), IsEmpty());
  EXPECT_EQ(job.stage(), "diagnosing");
}

// --- when the probes find nothing --------------------------------------------------------------------------------------

TEST(Escalation, FirstRestartsOnTheSameHostsThenReplacesTheSuspects) {
  RecoveringJob job(Recovery::First::diagnosis, with({.restarts_in_place = 2, .relapse_window = 60s}));
  job.run();
  for (int restart = 0; restart < 2; ++restart) {
    job.suspect(3);
    EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
    EXPECT_THAT(job.done("probe"), ElementsAre(kStarts)) << "restart " << restart;
    job.done("start");
    job.wait(59s);  // and stops again within the relapse window
  }
  job.suspect(3);
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 3", "acquire a host"));
}

TEST(Escalation, AsksAPersonWhereNobodyIsSuspected) {
  RecoveringJob job(Recovery::First::diagnosis, with({.restarts_in_place = 0, .relapse_window = 60s}));
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{6}, true}), ElementsAre("evict host 6", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

TEST(Escalation, StartsAgainWhereAPersonFindsNobodyEither) {
  RecoveringJob job(Recovery::First::diagnosis, with({.restarts_in_place = 1, .relapse_window = 60s}));
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts));
  job.done("start");
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre(kStarts));

  // The person has looked: the ladder begins anew.
  job.done("start");
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts));
}

TEST(Escalation, ReplacesSuspectsOnEvidenceWhereThereAreNoProbes) {
  PolicyConstants constants = usual_constants();
  constants.diagnosis.suite = {};
  RecoveringJob job(Recovery::First::diagnosis, constants);
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
}

// --- restart in place --------------------------------------------------------------------------------------------------

TEST(RestartInPlace, StartsAtOnceAndExaminesOnlyWhatStopsAgain) {
  RecoveringJob job(Recovery::First::restart);
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
  job.done("start");
  job.wait(30s);
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 3", "acquire a host"));  // its one restart is spent
}

TEST(RestartInPlace, ExaminesAfterAStartThatFails) {
  RecoveringJob job(Recovery::First::restart);
  job.run();
  job.suspect(3);
  job.done("stop");
  EXPECT_THAT(job.failed("start"), ElementsAre("stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
}

TEST(RestartInPlace, NeverRestartsBlindlyWhereItMayNot) {
  RecoveringJob job(Recovery::First::restart, with({.restarts_in_place = 0, .relapse_window = 60s}));
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
}

TEST(RestartInPlace, SpendsNoRestartOnAPlannedStop) {
  RecoveringJob job(Recovery::First::restart);
  job.run();
  job.told(10s);
  job.orders_until_it_runs();
  job.suspect(3);  // 0 s after that start, a restart is still to be had
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
}

// --- the same incident, or a new one -----------------------------------------------------------------------------------

TEST(RelapseWindow, AStopWithinItGoesOnWithTheIncident) {
  RecoveringJob job;
  job.run();
  job.goes_on_after(3);
  job.wait(60s - 1ns);
  EXPECT_THAT(job.suspect(4), ElementsAre("stop for a fault"));
  EXPECT_TRUE(job.opened());  // for the failure rate it is a stop like any other
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3", "probe 0 on host 4"));
}

TEST(RelapseWindow, AStopAfterItForgetsSuspectsAndRestarts) {
  RecoveringJob job;
  job.run();
  job.goes_on_after(3);
  job.wait(60s);
  job.suspect(4);
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 4"));
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts));  // its own restart
}

// --- starts ------------------------------------------------------------------------------------------------------------

TEST(Start, ThatFailsIsStoppedAndInvestigated) {
  RecoveringJob job;
  EXPECT_THAT(job.failed("start"), ElementsAre("stop for a fault"));
  EXPECT_FALSE(job.training_began());
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on every host of the job"));
}

TEST(Start, ThatIsGivenUpMayAnswerLate) {
  JobInStage job("starting");
  job.suspect(2);
  EXPECT_THAT(job.failed("start"), IsEmpty());  // cancelled
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 2"));
}

// --- what joins --------------------------------------------------------------------------------------------------------

// The second symptom of one fault: nobody is left to examine once the culprit is replaced.
TEST(Joining, AHostNamedTwiceIsReplacedOnceAndNobodyElseExamined) {
  JobInStage job("diagnosing");
  job.probe_finds(1);
  EXPECT_THAT(job.suspect(1), IsEmpty());
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 1", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

// --- gathering ---------------------------------------------------------------------------------------------------------

TEST(Gathering, EndsAtOnceWhenAHostIsNamed) {
  RecoveringJob job;
  job.run();
  EXPECT_THAT(job.suspect_somebody(), ElementsAre("wake me at 3620s"));
  EXPECT_TRUE(job.opened());
  job.wait(5s);
  EXPECT_THAT(job.suspect(3), ElementsAre("cancel", "stop for a fault"));
  EXPECT_FALSE(job.opened());  // it is one incident
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
}

TEST(Gathering, IsLeftOutWhereItMayTakeNoTime) {
  PolicyConstants constants = usual_constants();
  constants.detection.gather = 0s;
  RecoveringJob job(Recovery::First::diagnosis, constants);
  job.run();
  EXPECT_THAT(job.suspect_somebody(), ElementsAre("stop for a fault"));
}

// Host 6 hangs: slot 6 is the third replica of stage 1. Its pipeline (slots 2 and 6) waits for it along the pipeline, the
// others for these along the data-parallel groups.
TEST(Gathering, FindsWhoHoldsUpTheOthersWhereItIsToLocalise) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.localises = true});
  job.run();
  EXPECT_THAT(job.suspect_somebody(), ElementsAre("wake me at 3620s"));
  EXPECT_THAT(job.gathered(),
              ElementsAre("watch last collectives of every host of the job, the next 1", "wake me at 3640s"));
  for (const std::uint32_t host : {0U, 1U, 3U, 4U, 5U, 7U}) job.waits_in(host, Dimension::data);
  job.waits_in(2, Dimension::pipeline);
  EXPECT_THAT(job.gathered(), ElementsAre("unwatch", "stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 6"));
}

TEST(Gathering, KnowsWhoSitsInASlotAfterReplacements) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.localises = true});
  job.run();
  job.suspect(6);
  job.done("stop");
  job.probe_finds(6);
  job.orders_until_it_runs();  // host 8 takes slot 6
  job.wait(1h);
  job.suspect_somebody();
  job.gathered();
  for (const std::uint32_t host : {0U, 1U, 3U, 4U, 5U, 7U}) job.waits_in(host, Dimension::data);
  job.waits_in(2, Dimension::pipeline);
  job.gathered();
  EXPECT_THAT(job.done("stop for a fault"), ElementsAre("probe 0 on host 8"));
}

TEST(Gathering, ExaminesEverybodyWhereNobodyAnswers) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.localises = true});
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.gathered();
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on every host of the job"));
}

// --- other means -------------------------------------------------------------------------------------------------------

TEST(Evidence, ReplacesWhoIsNamedWithoutAnyProbe) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.means = Diagnoser::Means::evidence});
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
}

TEST(Person, IsAskedAtOnce) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.means = Diagnoser::Means::person});
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{5}, true}), ElementsAre("evict host 5", "acquire a host"));
}

// Nobody else saw that the job stands still: whoever did looks for the culprit too.
TEST(Person, WhoNoticedIsAskedWhateverTheDiagnosis) {
  RecoveringJob job(Recovery::First::restart);
  job.run();
  EXPECT_THAT(job.noticed(), ElementsAre("stop for a fault"));
  EXPECT_TRUE(job.opened());
  EXPECT_THAT(job.done("stop"), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre(kStarts));
}

// --- a restart that cures ----------------------------------------------------------------------------------------------

TEST(Restart, ExaminesNobodyUnlessItComesBack) {
  RecoveringJob job;
  job.run();
  EXPECT_THAT(job.restart(), ElementsAre("stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
  job.done("start");
  job.wait(30s);
  job.restart();
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on every host of the job"));
}

// Victims are heard before the line that explains them.
TEST(Restart, ExplainsAStopThatNobodyWasNamedFor) {
  RecoveringJob job;
  job.run();
  job.suspect_somebody();
  EXPECT_THAT(job.restart(), ElementsAre("cancel", "stop for a fault"));
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
  job.done("start");
  job.wait(1h);
  job.suspect_somebody();
  job.gathered();
  job.restart();  // while the job stops
  EXPECT_THAT(job.done("stop for a fault"), ElementsAre(kStarts));
}

// --- what only slows the job -------------------------------------------------------------------------------------------

TEST(Degraded, IsSavedStoppedReplacedAndStarted) {
  RecoveringJob job;
  job.run();
  EXPECT_THAT(job.degraded(3), ElementsAre("checkpoint now", "wake me at 5400s"));
  EXPECT_FALSE(job.opened());  // no failure: nothing is lost
  EXPECT_THAT(job.degraded(5), IsEmpty());
  EXPECT_THAT(job.done("checkpoint now", Saved{40}), ElementsAre("stop for a fault"));
  EXPECT_THAT(job.done("stop"),
              ElementsAre("evict host 3", "acquire a host", "evict host 5", "acquire a host"));
  job.done("acquire", Granted{HostId{8}});
  EXPECT_THAT(job.done("acquire", Granted{HostId{9}}), ElementsAre(kStarts));
}

TEST(Degraded, IsExaminedFirstWhereThatIsWanted) {
  PolicyConstants constants = usual_constants();
  constants.diagnosis.examine_degraded = true;
  RecoveringJob job(Recovery::First::diagnosis, constants);
  job.run();
  job.degraded(3);
  job.done("checkpoint now", Saved{40});
  EXPECT_THAT(job.done("stop"), ElementsAre("probe 0 on host 3"));
}

TEST(Degraded, WithNobodyNamedIsSavedAndStartedAgain) {
  RecoveringJob job;
  job.run();
  job.suspect({.kind = SuspicionKind::degraded});
  job.done("checkpoint now", Saved{40});
  EXPECT_THAT(job.done("stop"), ElementsAre(kStarts));
}

// A recovery is a value: a copy goes its own way.
TEST(Recovery, CanBeCopiedInTheMiddle) {
  PolicyConstants constants = usual_constants();
  Seating seating(Inventory{.job_hosts = 8, .layout = {}});
  Orders orders;
  Recovery recovery(Recovery::First::diagnosis, {}, Restore{}, JobId{0}, constants, kRecoveryReports);
  recovery.launch(kStart, seating, orders);
  recovery.on(Outcome{.order = OrderId{1}, .result = {}}, kStart, seating, orders);
  Recovery copy = recovery;
  copy.on(Suspicion{.host = HostId{1}}, kStart + 1s, seating, orders);
  EXPECT_TRUE(std::holds_alternative<Running>(recovery.stage()));
  EXPECT_TRUE(std::holds_alternative<Stopping>(copy.stage()));
}

}  // namespace
}  // namespace gauntlet
