#include "policies/detect/detector.hpp"

#include "tests/policies/in_words.hpp"

#include <gmock/gmock.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

DetectionConstants detection_constants() {
  return {.heartbeat_timeout = 30s,
          .hang_timeout = 300s,
          .collective_timeout = 600s,
          .log_patterns = {PatternId{4}, PatternId{2}}};
}

/// A detector that has ordered its watches, and how what they report strikes it.
template <class Detector>
struct Watching {
  Watching() {
    ids.take();  // an id that is not the detector's
    detector.start(detection_constants(), ids, orders);
  }
  WatchId watch(std::size_t i) const { return std::get<Watch>(orders[i].what).id; }
  /// "nothing", "somebody" or the host that is suspected.
  std::string makes_of(WatchId watch, Edge edge, std::uint32_t host) const {
    const Seen seen{.watch = watch,
                    .who = component(HostId{host}),
                    .edge = edge,
                    .sensed = kStart,
                    .value = 0,
                    .more = 0};
    const std::optional<Suspicion> suspicion = detector.on(seen);
    if (!suspicion) return "nothing";
    return suspicion->host ? "host " + std::to_string(suspicion->host->value) : "somebody";
  }

  Detector detector;
  WatchIds ids;
  Orders orders;
};

TEST(HeartbeatDetector, WatchesHeartbeatsAndExits) {
  const Watching<HeartbeatDetector> heartbeat;
  EXPECT_THAT(in_words(heartbeat.orders), ElementsAre("watch heartbeats of every host, silent for 30s",
                                                      "watch exits of every host, pattern 0"));
}

TEST(HeartbeatDetector, SuspectsAHostThatFallsSilentAndOneWhoseRankExits) {
  const Watching<HeartbeatDetector> heartbeat;
  EXPECT_EQ(heartbeat.makes_of(heartbeat.watch(0), Edge::began, 3), "host 3");
  EXPECT_EQ(heartbeat.makes_of(heartbeat.watch(1), Edge::sample, 5), "host 5");
}

TEST(HeartbeatDetector, MakesNothingOfAHostThatIsHeardAgainOrOfWatchesThatAreNotItsOwn) {
  const Watching<HeartbeatDetector> heartbeat;
  EXPECT_EQ(heartbeat.makes_of(heartbeat.watch(0), Edge::ended, 3), "nothing");
  EXPECT_EQ(heartbeat.makes_of(WatchId{1}, Edge::began, 3), "nothing");
  EXPECT_EQ(heartbeat.makes_of(WatchId{99}, Edge::sample, 3), "nothing");
}

TEST(LogDetector, WatchesTheLinesThatItIsGivenAndSuspectsWhoeverLogsOne) {
  const Watching<LogDetector> log;
  EXPECT_THAT(in_words(log.orders), ElementsAre("watch log lines of every host, pattern 4",
                                                "watch log lines of every host, pattern 2"));
  EXPECT_EQ(log.makes_of(log.watch(0), Edge::sample, 3), "host 3");
  EXPECT_EQ(log.makes_of(log.watch(1), Edge::sample, 0), "host 0");
  EXPECT_EQ(log.makes_of(WatchId{1}, Edge::sample, 3), "nothing");
}

TEST(LogDetector, WithoutLinesIsBlind) {
  LogDetector log;
  WatchIds ids;
  Orders orders;
  log.start({}, ids, orders);
  EXPECT_THAT(in_words(orders), IsEmpty());
  EXPECT_FALSE(log.on(Seen{.watch = WatchId{1}, .who = {}, .sensed = {}}));
}

// Pattern 0 is the line of a rank that gave up waiting. Every victim logs it: one line tells as much as all of them.
TEST(HangDetector, WatchesStepsAndRanksThatGiveUpWaiting) {
  const Watching<HangDetector> hang;
  EXPECT_THAT(in_words(hang.orders), ElementsAre("watch steps of the job, silent for 300s",
                                                 "watch log lines of every host, pattern 0, first 1 alone"));
}

TEST(HangDetector, SuspectsSomebodyButCannotTellWho) {
  const Watching<HangDetector> hang;
  EXPECT_EQ(hang.makes_of(hang.watch(0), Edge::began, 0), "somebody");
  EXPECT_EQ(hang.makes_of(hang.watch(1), Edge::sample, 7), "somebody");
  EXPECT_EQ(hang.makes_of(hang.watch(0), Edge::ended, 0), "nothing");
  EXPECT_EQ(hang.makes_of(WatchId{1}, Edge::began, 0), "nothing");
}

TEST(WatchIds, AreAllDifferentAndNeverZero) {
  WatchIds ids;
  EXPECT_EQ(ids.take(), WatchId{1});
  EXPECT_EQ(ids.take(), WatchId{2});
}

}  // namespace
}  // namespace gauntlet
