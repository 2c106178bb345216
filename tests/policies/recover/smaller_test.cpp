// A job that gets no host in time goes on with fewer replicas, and grows back.
#include "tests/policies/recover/recovering_job.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

PolicyConstants waiting(Duration wait, std::uint32_t least = 1) {
  PolicyConstants constants = usual_constants();
  constants.recovery.wait_for_spare = wait;
  constants.recovery.least_replicas = least;
  return constants;
}

/// Hosts 0 to 7 in two stages of four replicas, and no spare; the host is found faulty an hour after the start.
class Spareless : public RecoveringJob {
 public:
  explicit Spareless(PolicyConstants constants)
      : RecoveringJob(Recovery::First::diagnosis, std::move(constants), {}, 0) {}
  Words lose(std::uint32_t host) {
    suspect(host);
    done("stop");
    probe_finds(host);
    return done("probe");
  }
};

TEST(Smaller, AfterAWaitInVain) {
  Spareless job(waiting(10min));
  job.run();
  EXPECT_THAT(job.lose(1), ElementsAre("evict host 1", "acquire a host", "wake me at 4200s"));
  job.wait(10min);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "host 7 stands by", kStarts + ", 3 replicas"));
  EXPECT_THAT(job.failed("acquire"), IsEmpty());  // the one that was cancelled
  EXPECT_TRUE(job.in_job(6));
  EXPECT_FALSE(job.in_job(7));
  job.run();
  // The one that stands by takes the place of the next that is lost.
  EXPECT_THAT(job.lose(2), ElementsAre("evict host 2", "acquire a host", "wake me at 8400s"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{7}}), ElementsAre("cancel", kStarts + ", 3 replicas"));
}

TEST(Smaller, NotWhereAHostComesInTime) {
  Spareless job(waiting(10min));
  job.run();
  job.lose(1);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), ElementsAre("cancel", kStarts + ", 4 replicas"));
}

TEST(Smaller, NotBelowTheLeast) {
  Spareless job(waiting(0s, 4));
  job.run();
  job.lose(1);
  EXPECT_THAT(job.done("wake"), IsEmpty());  // waits on, without end
  EXPECT_EQ(job.stage(), "replacing");
  EXPECT_THAT(job.readmit(1), IsEmpty());
  EXPECT_THAT(job.done("acquire", Granted{HostId{1}}), ElementsAre(kStarts + ", 4 replicas"));
}

TEST(Smaller, GrowsOnceAReplicaHasItsHosts) {
  Spareless job(waiting(0s));
  job.run();
  job.lose(1);
  EXPECT_THAT(job.readmit(1), IsEmpty());  // while it waits: granted, as anybody is
  job.done("wake");
  job.failed("acquire");
  job.run();
  EXPECT_THAT(job.readmit(1), ElementsAre("checkpoint now", "wake me at 9000s"));
  EXPECT_THAT(job.done("checkpoint now", Saved{40}), ElementsAre("stop to grow"));
  EXPECT_THAT(job.done("stop"), ElementsAre("acquire a host", "acquire a host", "wake me at 7200s"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{7}}), IsEmpty());
  EXPECT_THAT(job.done("acquire", Granted{HostId{1}}), ElementsAre("cancel", kStarts + ", 4 replicas"));
}

TEST(Smaller, GrowsWithAStopThatComesAnyway) {
  Spareless job(waiting(0s));
  job.run();
  job.lose(1);
  job.done("wake");
  job.suspect(0);  // the start is given up
  EXPECT_THAT(job.readmit(1), IsEmpty());
  job.done("stop");
  EXPECT_THAT(job.done("probe"), ElementsAre("acquire a host", "acquire a host", "wake me at 3600s"));
  // None comes after all: as before.
  EXPECT_THAT(job.done("wake me at 3600s"), ElementsAre("cancel", "cancel", kStarts + ", 3 replicas"));
}

TEST(Smaller, WithTheHostThatMakesTheLeast) {
  Spareless job(waiting(10min, 3));
  job.run();
  job.suspect_somebody();
  job.gathered();
  job.done("stop");
  for (const std::uint32_t host : {1U, 2U, 3U}) job.probe_finds(host);
  job.done("probe");
  job.wait(10min);
  EXPECT_THAT(job.done("wake"), IsEmpty());  // five hosts are two replicas
  EXPECT_THAT(job.readmit(1), IsEmpty());
  EXPECT_THAT(job.done("acquire", Granted{HostId{1}}),
              ElementsAre("cancel", "cancel", kStarts + ", 3 replicas"));
}

// The wait is the job's, from the first host that it lacks: one that is lost later is sent to repair at once, and waits as long
// as is left.
TEST(Smaller, AHostThatComesDoesNotProlongTheWaitForTheOthers) {
  Spareless job(waiting(10min));
  job.run();
  job.lose(1);
  job.suspect(2);
  job.probe_finds(2);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 2", "acquire a host"));
  job.wait(5min);
  EXPECT_THAT(job.done("acquire", Granted{HostId{8}}), IsEmpty());
  job.wait(5min);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "host 7 stands by", kStarts + ", 3 replicas"));
}
TEST(Smaller, AHostLostDuringTheWaitDoesNotProlongIt) {
  Spareless job(waiting(10min));
  job.run();
  job.lose(1);
  job.wait(5min);
  job.suspect(2);
  job.probe_finds(2);
  EXPECT_THAT(job.done("probe"), ElementsAre("evict host 2", "acquire a host"));
  job.wait(5min);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "cancel", kStarts + ", 3 replicas"));
}

// Nor does its examination: once that is over the job goes on with what it has.
TEST(Smaller, AnExaminationThatOutlastsTheWaitProlongsItByNoMore) {
  Spareless job(waiting(10min));
  job.run();
  job.lose(1);
  job.wait(9min);
  job.suspect(2);
  job.wait(1min);
  EXPECT_THAT(job.done("wake"), IsEmpty());
  job.wait(4min);
  job.probe_finds(2);
  EXPECT_THAT(job.done("probe"),
              ElementsAre("evict host 2", "acquire a host", "cancel", "cancel", kStarts + ", 3 replicas"));
}

// A host that came during a hold is taken at its end, though the wait before it was in vain.
TEST(Smaller, TakesAHostThatCameDuringAHold) {
  Spareless job(waiting(10min));
  job.run();
  job.lose(1);
  job.told(3h);
  job.wait(10min);
  EXPECT_THAT(job.done("wake"), ElementsAre("cancel", "stop as planned", "wake me at 14400s"));
  job.failed("acquire");
  job.readmit(1);
  job.wait(2h + 50min);
  EXPECT_THAT(job.done("wake me at 14400s"), ElementsAre("acquire a host", "wake me at 15000s"));
  EXPECT_THAT(job.done("acquire", Granted{HostId{1}}), ElementsAre("cancel", kStarts + ", 4 replicas"));
}

TEST(Smaller, GrowsAfterAStartDuringWhichAHostCame) {
  Spareless job(waiting(0s));
  job.run();
  job.lose(1);
  job.done("wake");
  EXPECT_THAT(job.readmit(1), IsEmpty());  // while it starts
  EXPECT_THAT(job.done("start, "), ElementsAre("checkpoint now", "wake me at 5400s"));
}

}  // namespace
}  // namespace gauntlet
