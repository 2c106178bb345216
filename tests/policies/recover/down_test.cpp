// Hosts that are named while the job is down: each is examined and replaced beside whatever the job waits for.
#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

PolicyConstants with_restarts(std::uint32_t restarts_in_place) {
  PolicyConstants constants = usual_constants();
  constants.recovery.restarts_in_place = restarts_in_place;
  return constants;
}

// In every stage in which the job is down: the repair begins as soon as the host is found faulty.
TEST(Down, AHostThatIsNamedIsEvictedInWhateverStage) {
  for (const std::string stage : {"diagnosing", "replacing", "holding", "backing off", "keeping"}) {
    SCOPED_TRACE(stage);
    JobInStage job(stage);
    EXPECT_THAT(job.suspect(2), ElementsAre("probe 0 on host 2"));
    job.probe_finds(2);
    EXPECT_THAT(job.done("probe 0 on host 2"), ElementsAre("evict host 2", "acquire a host"));
    EXPECT_EQ(job.stage(), stage);
    EXPECT_FALSE(job.in_job(2));
    job.orders_until_it_runs();
  }
}

TEST(Down, TheJobStartsWhenTheLastHostHasCome) {
  JobInStage job("replacing");
  job.finds_faulty(2);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), IsEmpty());
  EXPECT_THAT(job.done("acquire", Granted{HostId{9}}), ElementsAre(kStarts));
}

TEST(Down, TheJobStartsWhenTheLastExaminationIsOver) {
  JobInStage job("replacing");
  job.suspect(2);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), IsEmpty());
  EXPECT_EQ(job.stage(), "diagnosing");
  EXPECT_THAT(job.done("probe"), ElementsAre(kStarts));
}

TEST(Down, AHoldThatEndsWaitsForTheHostThatFailedMeanwhile) {
  JobInStage job("holding");
  job.finds_faulty(2);
  job.wait(2h);
  EXPECT_THAT(job.done("wake me at 10800s"), IsEmpty());
  EXPECT_EQ(job.stage(), "replacing");
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

TEST(Down, AHoldIsNotCutShortByAHostThatCameEarly) {
  JobInStage job("holding");
  job.finds_faulty(2);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), IsEmpty());
  EXPECT_EQ(job.stage(), "holding");
  job.wait(2h);
  EXPECT_THAT(job.done("wake me at 10800s"), ElementsAre(kStarts));
}

// The stop has a cause then: nobody is asked, and the one restart on the same hosts is not spent.
TEST(Down, AHostFoundBesideTheStopExplainsIt) {
  RecoveringJob job(Recovery::First::diagnosis, with_restarts(0));
  job.run();
  job.suspect(1);
  job.done("stop");
  EXPECT_THAT(job.suspect(2), ElementsAre("probe 0 on host 2"));
  EXPECT_THAT(job.done("probe 0 on host 1"), IsEmpty());
  job.probe_finds(2);
  EXPECT_THAT(job.done("probe 0 on host 2"), ElementsAre("evict host 2", "acquire a host"));
  EXPECT_TRUE(job.in_job(1));
}

TEST(Down, WhoeverWasNamedIsReplacedOnEvidenceOnceAllHaveBeenExamined) {
  RecoveringJob job(Recovery::First::diagnosis, with_restarts(0));
  job.run();
  job.suspect(1);
  job.done("stop");
  job.suspect(2);
  EXPECT_THAT(job.done("probe 0 on host 2"), IsEmpty());
  EXPECT_THAT(job.done("probe 0 on host 1"),
              ElementsAre("evict host 1", "acquire a host", "evict host 2", "acquire a host"));
}

// What one examination finds is not held against another's hosts.
TEST(Down, AHostThatFailsCountsToTheExaminationsThatItIsIn) {
  RecoveringJob job(Recovery::First::diagnosis, with_restarts(0));
  job.run();
  job.suspect(1);
  job.done("stop");
  job.suspect(2);
  job.probe_finds(2);
  EXPECT_THAT(job.done("probe 0 on host 1"), IsEmpty());  // found nobody, and waits for the other
  EXPECT_THAT(job.done("probe 0 on host 2"), ElementsAre("evict host 2", "acquire a host"));
}

TEST(Down, AHostThatAnotherExaminationFoundIsExaminedNoMore) {
  RecoveringJob job;
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  job.probe_finds(2);
  job.suspect(2);
  EXPECT_THAT(job.done("probe 0 on every"), ElementsAre("evict host 2", "cancel", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

TEST(Down, AHostThatWasJustGrantedIsExaminedWhenItIsNamed) {
  RecoveringJob job;
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  job.probe_finds(3);
  job.probe_finds(5);
  job.done("probe");
  job.done("acquire", Granted{HostId{8}});
  EXPECT_THAT(job.suspect(8), ElementsAre("probe 0 on host 8"));
  job.probe_finds(8);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 8", "acquire a host"));
}

// The cluster gave host 8 the slot that was empty for longest. When it is evicted, the other slot is.
TEST(Down, AHostThatIsEvictedBeforeItsGrantIsHeardLeavesItsSlotForTheLast) {
  RecoveringJob job;
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  job.probe_finds(3);
  job.probe_finds(5);
  job.done("probe");
  job.evict_spare(8);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre("acquire a host"));
  job.done("acquire", Granted{HostId{9}});
  EXPECT_THAT(job.done("acquire", Granted{HostId{10}}), ElementsAre(kStarts));
  EXPECT_EQ(job.host_in(5), HostId{9});
  EXPECT_EQ(job.host_in(3), HostId{10});
}

TEST(Down, APersonIsAskedAboutEachHostWhereAPersonDiagnoses) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.means = Diagnoser::Means::person});
  job.run();
  job.suspect(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("ask a person"));
  EXPECT_THAT(job.suspect(3), IsEmpty());
  EXPECT_THAT(job.suspect(4), ElementsAre("ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{3}, true}), ElementsAre("evict host 3", "acquire a host"));
  EXPECT_THAT(job.done("ask", Answered{HostId{4}, true}), ElementsAre("evict host 4", "acquire a host"));
  EXPECT_EQ(job.stage(), "replacing");
}

TEST(Down, EvidenceNeedsNoExamination) {
  RecoveringJob job(Recovery::First::diagnosis, usual_constants(), {.means = Diagnoser::Means::evidence});
  job.run();
  job.suspect(3);
  job.done("stop");
  EXPECT_THAT(job.suspect(4), ElementsAre("evict host 4", "acquire a host"));
}

TEST(Down, AFailedStartThatWaitsForItsBackOffIsNotTriedBeforeIt) {
  JobInStage job("backing off");
  job.finds_faulty(2);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), IsEmpty());
  EXPECT_EQ(job.stage(), "backing off");
  EXPECT_THAT(job.done("wake"), ElementsAre(kStarts));
}

// The hosts are not the job's while others have them, or a person looks: the broken ones are repaired, and replaced at the end.
TEST(Down, AHostThatWasGivenBackIsReplacedWhenTheJobHasItsHostsAgain) {
  JobInStage job("released");
  EXPECT_THAT(job.finds_faulty(2), ElementsAre("evict host 2"));
  EXPECT_THAT(job.done("ask", Answered{HostId{5}, true}),
              ElementsAre("evict host 5", "acquire a host", "acquire a host"));

  JobInStage preempted("holding");
  preempted.told(3h, true);
  preempted.suspect(2);
  preempted.probe_finds(2);
  EXPECT_THAT(preempted.done("probe"), ElementsAre("evict host 2"));
  preempted.wait(2h);
  EXPECT_THAT(preempted.done("wake me at 10800s"), ElementsAre("wake me at 14400s"));
  preempted.wait(1h);
  EXPECT_THAT(preempted.done("wake me at 14400s"), ElementsAre("acquire a host"));
}

// What was found in a stop explains it: a host that is named later on and fails no probe is kept, whatever the job waits for by then.
TEST(Down, AHostThatFailsNoProbeIsKeptWhereTheStopIsExplained) {
  RecoveringJob job(Recovery::First::diagnosis, with_restarts(0));
  job.run();
  job.suspect(1);
  job.done("stop");
  job.probe_finds(1);
  job.done("probe");
  EXPECT_EQ(job.stage(), "replacing");
  job.suspect(2);
  EXPECT_THAT(job.done("probe 0 on host 2"), IsEmpty());
  EXPECT_TRUE(job.in_job(2));
}

// Nothing else explains a planned stop: the host is dealt with as after any stop.
TEST(Down, AHostThatFailsNoProbeIsReplacedOnEvidenceInAHold) {
  RecoveringJob job(Recovery::First::diagnosis, with_restarts(0));
  job.run();
  job.told(2h);
  job.done("checkpoint now", Saved{40});
  job.done("stop as planned");
  job.suspect(2);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 2", "acquire a host"));
}

// The cluster was quicker: the host is the job's, and no other is ordered for its slot.
TEST(Down, AHostThatWasGrantedBeforeItsOrderWasCancelledIsKept) {
  JobInStage job("keeping");
  job.finds_faulty(2);
  job.done("wake");  // gives the hosts back
  job.done("acquire", Granted{HostId{8}});
  EXPECT_TRUE(job.in_job(8));
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre(kStarts));
}

TEST(Down, HostsThatWereOrderedAreCancelledWhenTheJobGivesItsOwnBack) {
  JobInStage job("keeping");
  job.finds_faulty(2);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "give the hosts back", "ask a person"));
  EXPECT_THAT(job.done("ask", Answered{HostId{}, false}), ElementsAre("acquire a host"));
}

}  // namespace
}  // namespace gauntlet
