// Detectors that learn, and that act on what lasts.
#include "policies/detect/detector.hpp"
#include "tests/policies/detect/watching.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(LearnedHangDetector, TakesAMultipleOfTheLongestOfTheFirstSteps) {
  Watching<LearnedHangDetector> hang(
      {.hang_timeout = 600s, .learned_hang = {.samples = 3, .multiple = 5, .floor = 30s}});
  EXPECT_THAT(hang.job_begins(), ElementsAre("unwatch", "watch steps of the job, silent for 600s", "unwatch",
                                             "watch steps of the job, the next 3"));
  hang.job("steps of the job, the next", Edge::sample, 10);
  hang.job("steps of the job, the next", Edge::sample, 14);
  EXPECT_THAT(hang.orders(), IsEmpty());
  hang.job("steps of the job, the next", Edge::sample, 11);
  EXPECT_THAT(hang.orders(), ElementsAre("unwatch", "watch steps of the job, silent for 70s"));
  EXPECT_THAT(hang.job("steps of the job, silent", Edge::began), ElementsAre("stopped: nobody"));
  // It learns anew, and never below the floor.
  hang.job_begins();
  for (int i = 0; i < 3; ++i) hang.job("steps of the job, the next", Edge::sample, 1);
  EXPECT_THAT(hang.orders(), Contains("watch steps of the job, silent for 30s"));
}

TEST(TrafficStoppedDetector, StopsAJobThatSendsNothingForLong) {
  Watching<TrafficStoppedDetector> traffic({.traffic_stopped = {.lasting = 600s}});
  EXPECT_THAT(traffic.at_start(),
              ElementsAre("watch traffic of every host of the job, silent for 600s, first 0 alone"));
  traffic.job_begins();
  EXPECT_THAT(traffic.at(1600s).host("traffic", 3, Edge::began), ElementsAre("stopped: nobody"));
  EXPECT_THAT(traffic.at(1700s).host("traffic", 5, Edge::ended), IsEmpty());
  traffic.job_ends();
  EXPECT_THAT(traffic.host("traffic", 3, Edge::began), IsEmpty());  // it was on its way
}

TEST(TrafficPeriodDetector, TellsOfADeclineAndOfAnotherPeriodOnceForEachStart) {
  Watching<TrafficPeriodDetector> traffic(
      {.traffic_period = {.least = 0.8, .fluctuation = 0.2, .samples = 3}});
  EXPECT_THAT(traffic.job_begins(), Contains("watch traffic periods of 1 hosts of stage 0, the next 3"));
  for (const double period : {10.0, 10.4, 9.9}) traffic.host("traffic periods", 0, Edge::sample, period);
  const Outside band = traffic.band("traffic periods of every host");
  EXPECT_DOUBLE_EQ(band.low, 8);
  EXPECT_DOUBLE_EQ(band.high, 12);
  traffic.orders();
  EXPECT_THAT(traffic.host("traffic of every host", 2, Edge::began, 0.6), ElementsAre("unusual: nobody"));
  EXPECT_THAT(traffic.orders(), ElementsAre("unwatch"));
  EXPECT_THAT(traffic.host("traffic of every host", 2, Edge::began, 0.7), IsEmpty());  // on its way by then
  EXPECT_THAT(traffic.host("traffic periods of every host", 2, Edge::began, 14),
              ElementsAre("unusual: nobody"));
  // At the next start it looks again, and knows the period.
  EXPECT_THAT(traffic.job_begins(),
              ElementsAre("unwatch", "watch traffic of every host of the job, outside a band, first 0 alone",
                          "watch traffic periods of every host of the job, outside a band, first 0 alone"));
  EXPECT_THAT(traffic.host("traffic of every host", 2, Edge::began, 0.6), ElementsAre("unusual: nobody"));
}

/// A detector that has seen the steps from which it learns the best one, 10 s.
template <class Detector>
void learn_steps(Watching<Detector>& watching, int steps) {
  for (int i = 0; i < steps; ++i)
    watching.job("steps of the job, the next", Edge::sample, i == 1 ? 10.0 : 10.5);
}

TEST(MfuDetector, RestartsOnceAndThenTellsAPerson) {
  Watching<MfuDetector> mfu({.mfu = {.samples = 4, .decline = 0.1, .lasting = 1800s, .restart = true}});
  mfu.at(100s).job_begins();
  learn_steps(mfu, 4);
  EXPECT_NEAR(mfu.band("steps of the job, outside").high, 11.11, 0.01);  // 90% of the best MFU
  mfu.at(2000s).job("steps of the job, outside", Edge::began, 12);
  mfu.at(2100s).job("steps of the job, outside", Edge::ended, 10);  // it has healed
  EXPECT_FALSE(mfu.waits());
  mfu.at(9000s).job("steps of the job, outside", Edge::began, 12);
  EXPECT_THAT(mfu.wakes(), ElementsAre("degraded: nobody"));
  mfu.job_ends();
  mfu.at(11'000s).job_begins();
  learn_steps(mfu, 4);
  mfu.at(11'100s).job("steps of the job, outside", Edge::began, 12);  // the restart was no help
  EXPECT_THAT(mfu.wakes(), ElementsAre("unusual: nobody"));
}

// A job of fewer hosts is slower. That is not a decline, but it is outside the band of the larger job.
TEST(MfuDetector, LearnsAJobOfAnotherSizeAfresh) {
  Watching<MfuDetector> mfu({.mfu = {.samples = 4, .decline = 0.1, .lasting = 1800s, .restart = true}});
  EXPECT_THAT(mfu.job_resizes({.job_hosts = 8, .layout = {}}), IsEmpty());  // nothing is learned yet
  mfu.job_begins();
  learn_steps(mfu, 4);
  mfu.orders();
  EXPECT_THAT(mfu.job_resizes({.job_hosts = 6, .layout = {}}), ElementsAre("unwatch"));
  mfu.at(100s).job_begins();
  for (int i = 0; i < 4; ++i) mfu.job("steps of the job, the next", Edge::sample, 20);
  EXPECT_NEAR(mfu.band("steps of the job, outside").high, 22.22, 0.01);
  EXPECT_FALSE(mfu.waits());
}

// The first step of a start was outside the band; the others are better than any before, and the band is ordered anew.
TEST(MfuDetector, DoesNotGoOnWaitingForTheEndOfADeclineFromABandThatIsGone) {
  Watching<MfuDetector> mfu({.mfu = {.samples = 4, .decline = 0.1, .lasting = 1800s, .restart = true}});
  mfu.job_begins();
  learn_steps(mfu, 4);
  mfu.job_ends();
  mfu.at(100s).job_begins();
  mfu.job("steps of the job, outside", Edge::began, 12);
  EXPECT_TRUE(mfu.waits());
  for (int i = 0; i < 4; ++i) mfu.job("steps of the job, the next", Edge::sample, i == 0 ? 12 : 9);
  EXPECT_NEAR(mfu.band("steps of the job, outside").high, 10, 1e-9);
  EXPECT_FALSE(mfu.waits());
}

TEST(TrafficPeriodDetector, LearnsAJobOfAnotherSizeAfresh) {
  Watching<TrafficPeriodDetector> traffic(
      {.traffic_period = {.least = 0.8, .fluctuation = 0.2, .samples = 3}});
  traffic.at_start();
  EXPECT_THAT(traffic.job_resizes({.job_hosts = 8, .layout = {}}), IsEmpty());  // nothing is learned yet
  traffic.job_begins();
  for (int i = 0; i < 3; ++i) traffic.host("traffic periods", 0, Edge::sample, 10);
  traffic.orders();
  EXPECT_THAT(traffic.job_resizes({.job_hosts = 6, .layout = {}}), ElementsAre("unwatch"));
  EXPECT_THAT(traffic.job_begins(), Contains("watch traffic periods of 1 hosts of stage 0, the next 3"));
  for (int i = 0; i < 3; ++i) traffic.host("traffic periods of 1 hosts", 0, Edge::sample, 15);
  EXPECT_DOUBLE_EQ(traffic.band("traffic periods of every host").high, 18);
}

// --- flap --------------------------------------------------------------------------------------------------------------

/// One flap of a host at that time, which keeps the whole job still for so long.
Words flap(Watching<FlapDetector>& nic, std::uint32_t host, Duration at, Duration down) {
  nic.at(at + 1s).host("log lines", host);
  if (down < 25s) return {};
  nic.at(at + 2s + 25s).host("traffic", 0, Edge::began);
  return nic.at(at + 2s + down).host("traffic", 4, Edge::ended, 1);
}

DetectionConstants flap_constants() {
  return {
      .flap = {.lines = {PatternId{6}}, .returns = 3, .window = 12h, .least_down = 25s, .quarantine = 24h}};
}

TEST(FlapDetector, CountsLongFlapsWithinTheWindow) {
  Watching<FlapDetector> nic(flap_constants());
  EXPECT_THAT(nic.at_start(),
              ElementsAre("watch log lines of every host, pattern 6",
                          "watch traffic of every host of the job, silent for 25s, first 0 alone"));
  nic.job_begins();
  EXPECT_THAT(flap(nic, 2, 1h, 30s), IsEmpty());
  EXPECT_THAT(flap(nic, 2, 2h, 10s), IsEmpty());  // too short to count
  EXPECT_THAT(flap(nic, 3, 3h, 30s), IsEmpty());  // another host
  EXPECT_THAT(flap(nic, 2, 4h, 25s), IsEmpty());
  EXPECT_THAT(flap(nic, 2, 14h, 30s), IsEmpty());  // the first one is too long ago
  EXPECT_THAT(flap(nic, 2, 15h, 30s), ElementsAre("degraded: host 2"));
  EXPECT_THAT(flap(nic, 2, 16h, 30s), IsEmpty());  // it counts afresh
}

TEST(FlapDetector, TakesNoLineForTheStandstillOfAnother) {
  Watching<FlapDetector> nic(flap_constants());
  nic.job_begins();
  for (int i = 1; i <= 5; ++i) {
    nic.at(i * 1h).host("log lines", 7);  // a flap between two collectives: traffic never stops
    EXPECT_EQ(flap(nic, 1, i * 1h + 60s, 40s), i == 3 ? Words{"degraded: host 1"} : Words{}) << i;
  }
}

TEST(FlapDetector, CountsEveryLineWhereNoTimeIsAskedFor) {
  DetectionConstants constants = flap_constants();
  constants.flap.least_down = 0s;
  Watching<FlapDetector> nic(constants);
  EXPECT_THAT(nic.at_start(),
              ElementsAre("watch log lines of every host, pattern 6"));  // it needs no traffic
  nic.job_begins();
  nic.host("log lines", 2);
  nic.host("log lines", 2);
  EXPECT_THAT(nic.host("log lines", 2), ElementsAre("degraded: host 2"));
}

}  // namespace
}  // namespace gauntlet
