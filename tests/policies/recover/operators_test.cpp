// What operators do to the hosts of a job under recovery.
#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(Operators, AnEvictedHostIsReplacedAtOnceAndNobodyIsExamined) {
  RecoveringJob job;
  job.run();
  EXPECT_THAT(job.taken_out(3), ElementsAre("stop as planned"));
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
  EXPECT_FALSE(job.in_job(3));
  EXPECT_EQ(job.host_in(3), HostId{8});
}

TEST(Operators, AnEvictionIsNoPersonsQuestionAndNoFailedStart) {
  PolicyConstants constants = usual_constants();
  constants.recovery.start_attempts = 1;
  RecoveringJob job(Recovery::First::person, constants);
  EXPECT_THAT(job.taken_out(3), ElementsAre("cancel", "stop as planned"));  // while it starts
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre(kStarts));
}

TEST(Operators, TheStopIsNotPartOfAnIncidentThatEndedLongAgo) {
  RecoveringJob job;
  job.run();
  job.goes_on_after(1);  // a suspect that nothing was found of
  job.wait(1h);
  job.taken_out(3);
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
}

TEST(Operators, AHostForMaintenanceIsReplacedAfterACheckpoint) {
  RecoveringJob job;
  job.run();
  EXPECT_THAT(job.marked(3), ElementsAre("checkpoint now", "wake me at 5400s"));
  EXPECT_THAT(job.done("checkpoint now", Saved{40}), ElementsAre("stop as planned"));
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
}

TEST(Operators, AJobThatCannotBeSavedTrainsOnUntilItsNextStop) {
  RecoveringJob job;
  job.run();
  job.marked(3);
  EXPECT_THAT(job.failed("checkpoint now"), IsEmpty());
  EXPECT_EQ(job.stage(), "running");
  EXPECT_THAT(job.told(0s), ElementsAre("checkpoint now", "wake me at 5400s"));
  EXPECT_THAT(job.failed("checkpoint now"), ElementsAre("stop as planned"));
  EXPECT_THAT(job.done("stop"), ElementsAre("evict host 3", "acquire a host"));
}

TEST(Operators, AnEvictionDuringTheLastCheckpointIsNotForgotten) {
  RecoveringJob job;
  job.run();
  job.marked(3);
  EXPECT_THAT(job.taken_out(4), IsEmpty());
  EXPECT_THAT(job.failed("checkpoint now"), ElementsAre("stop as planned"));
  EXPECT_THAT(job.done("stop"),
              ElementsAre("evict host 4", "acquire a host", "evict host 3", "acquire a host"));
}

TEST(Operators, APlannedStopDuringTheLastCheckpointIsNotForgotten) {
  RecoveringJob job;
  job.run();
  job.marked(3);
  EXPECT_THAT(job.told(0s), IsEmpty());
  EXPECT_THAT(job.failed("checkpoint now"), ElementsAre("stop as planned"));
}

}  // namespace
}  // namespace gauntlet
