// Detectors that make something of each report on its own.
#include "policies/detect/detector.hpp"

#include "core/filter.hpp"
#include "tests/policies/detect/watching.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

DetectionConstants detection_constants() {
  return {.heartbeat_timeout = 30s,
          .hang_timeout = 300s,
          .collective_timeout = 600s,
          .lines = {{PatternId{4}, LineAction::replace},
                    {PatternId{3}, LineAction::ignore},
                    {PatternId{2}, LineAction::restart},
                    {PatternId{5}, LineAction::alert}}};
}

TEST(HeartbeatDetector, SuspectsAHostThatFallsSilentAndNothingElse) {
  Watching<HeartbeatDetector> heartbeat(detection_constants());
  EXPECT_THAT(heartbeat.at_start(), ElementsAre("watch heartbeats of every host, silent for 30s"));
  EXPECT_THAT(heartbeat.host("heartbeats", 3, Edge::began), ElementsAre("stopped: host 3"));
  EXPECT_THAT(heartbeat.host("heartbeats", 3, Edge::ended), IsEmpty());
  EXPECT_THAT(heartbeat.sees(WatchId{1}, component(HostId{3}), Edge::began, 0), IsEmpty());
}

// Victims exit with the watchdog's code, and often sooner than the culprit.
TEST(ExitDetector, NamesTheHostOfAnExitOfItsOwnAndNobodyForAVictim) {
  Watching<ExitDetector> exit(detection_constants());
  EXPECT_THAT(exit.at_start(), ElementsAre("watch exits of every host, outside a band",
                                           "watch exits of every host, pattern 0, first 1 alone"));
  const Outside band = exit.band("exits of every host, outside");
  EXPECT_TRUE(band.low == kAbortedByWatchdog && band.high == kAbortedByWatchdog);
  EXPECT_THAT(exit.host("exits of every host, pattern", 1, Edge::sample, kAbortedByWatchdog),
              ElementsAre("stopped: nobody"));
  EXPECT_THAT(exit.host("exits of every host, outside", 5, Edge::sample, 1), ElementsAre("stopped: host 5"));
  EXPECT_THAT(exit.host("exits of every host, pattern", 6, Edge::sample, 137),
              ElementsAre("stopped: host 6"));
}

TEST(LogDetector, DoesWhatItsTableSaysAboutEachLine) {
  Watching<LogDetector> log(detection_constants());
  EXPECT_THAT(log.at_start(), ElementsAre("watch log lines of every host, pattern 4",
                                          "watch log lines of every host of the job, pattern 2",
                                          "watch log lines of every host, pattern 5"));
  EXPECT_THAT(log.host("log lines of every host, pattern 4", 3), ElementsAre("stopped: host 3"));
  EXPECT_THAT(log.host("log lines of every host of the job, pattern 2", 0), ElementsAre("restart: nobody"));
  EXPECT_THAT(log.host("log lines of every host, pattern 5", 7), ElementsAre("unusual: host 7"));
  EXPECT_THAT(log.sees(WatchId{1}, component(HostId{3}), Edge::sample, 0), IsEmpty());
  EXPECT_THAT(log.sees(WatchId{5}, component(HostId{3}), Edge::sample, 0), IsEmpty());
}

TEST(LogDetector, WithoutLinesIsBlind) {
  Watching<LogDetector> log({});
  EXPECT_THAT(log.at_start(), IsEmpty());
  EXPECT_THAT(log.sees(WatchId{2}, component(HostId{3}), Edge::sample, 0), IsEmpty());
}

// Since when the numbers are wrong is reckoned from the time at which the line was written, not from its arrival.
TEST(LogDetector, TellsSinceWhenNumbersMayBeWrong) {
  DetectionConstants constants = detection_constants();
  constants.corruption = {.lines = {PatternId{2}, PatternId{5}}, .late = 30min};
  LogDetector log;
  WatchIds ids;
  Orders orders;
  log.start({JobId{0}, Inventory{.job_hosts = 8, .layout = {}}, &constants}, ids, orders);
  const auto suspicion = [&](PatternId line, Duration written) {
    Suspicions found;
    for (const Order& order : orders) {
      const Watch& watch = std::get<Watch>(order.what);
      if (std::get<Match>(watch.until).pattern != line) continue;
      log.on(Seen{.watch = watch.id,
                  .who = component(HostId{3}),
                  .edge = Edge::sample,
                  .sensed = kStart + written,
                  .value = 0,
                  .more = 0},
             kStart + written + 10min, orders, found);
    }
    EXPECT_EQ(found.size(), 1u);
    return found.at(0);
  };
  EXPECT_FALSE(suspicion(PatternId{4}, 2h).wrong);
  EXPECT_EQ(suspicion(PatternId{4}, 2h).wrong_since, kNever);
  EXPECT_TRUE(suspicion(PatternId{2}, 2h).wrong);
  EXPECT_EQ(suspicion(PatternId{2}, 2h).wrong_since, kStart + 90min);
  EXPECT_EQ(suspicion(PatternId{2}, 20min).wrong_since, kStart);
  EXPECT_TRUE(suspicion(PatternId{4}, 2h).of_host);   // replace
  EXPECT_FALSE(suspicion(PatternId{2}, 2h).of_host);  // restart
}

TEST(HangDetector, SuspectsSomebodyWhereNoStepCompletes) {
  Watching<HangDetector> hang(detection_constants());
  EXPECT_THAT(hang.at_start(), ElementsAre("watch steps of the job, silent for 300s"));
  EXPECT_THAT(hang.job("steps", Edge::began), ElementsAre("stopped: nobody"));
  EXPECT_THAT(hang.job("steps", Edge::ended), IsEmpty());
}

// Every victim logs these: one line tells as much as all of them, and nothing of the culprit.
TEST(CollectiveTimeoutDetector, HearsOneVictimAndNamesNobody) {
  Watching<CollectiveTimeoutDetector> timeout(detection_constants());
  EXPECT_THAT(timeout.at_start(), ElementsAre("watch log lines of every host, pattern 0, first 1 alone",
                                              "watch log lines of every host, pattern 1, first 1 alone"));
  EXPECT_THAT(timeout.host("log lines of every host, pattern 0", 7), ElementsAre("stopped: nobody"));
  EXPECT_THAT(timeout.host("log lines of every host, pattern 1", 2), ElementsAre("stopped: nobody"));
}

TEST(LossDetector, RestartsWhereTheLossIsNoNumberOrJumps) {
  Watching<LossDetector> loss({});
  loss.job_begins();
  const Outside band = loss.band("loss of the job");
  OutsideFilter filter(band);
  EXPECT_FALSE(filter.on_sample(-50));  // a loss that falls is not a spike
  EXPECT_FALSE(filter.on_sample(band.high));
  EXPECT_EQ(filter.on_sample(std::numeric_limits<double>::quiet_NaN()), Edge::began);
  EXPECT_THAT(loss.job("loss", Edge::began, 12), ElementsAre("restart: nobody"));
  EXPECT_THAT(loss.job("loss", Edge::ended, 0), IsEmpty());
}

TEST(WatchIds, AreAllDifferentAndNeverZero) {
  WatchIds ids;
  EXPECT_EQ(ids.take(), WatchId{1});
  EXPECT_EQ(ids.take(), WatchId{2});
}

}  // namespace
}  // namespace gauntlet
