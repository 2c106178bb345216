#include "real/clocks/driver_times.hpp"

#include "tests/real/scratch.hpp"

#include <gtest/gtest.h>

#include <variant>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

/// An agent whose clock is 1 s ahead, known to 0.1 ms.
AgentClock one_second_ahead(std::int64_t read_ns) {
  AgentClock clock;
  clock.add({.asked_ns = read_ns - 1'000'100'000, .read_ns = read_ns, .answered_ns = read_ns - 999'900'000});
  return clock;
}

constexpr std::int64_t kRead = 10'000'000'000;
constexpr std::int64_t kDriver = kRead - 1'000'000'000;
constexpr std::int64_t kLater = 20'000'000'000;

struct Times : testing::Test {
  Scratch place;
  std::string file = (place.path() / "clocks").string();
  AgentClock clock = one_second_ahead(kRead);
};

TEST_F(Times, EveryTimeOfAnAgentIsMapped) {
  DriverTimes times(file, false);
  AgentMessage seen = AgentSeen{{.at = Time(Duration(kRead)),
                                 .what = Seen{.watch = WatchId{1},
                                              .who = component(HostId{0}),
                                              .edge = Edge::sample,
                                              .sensed = Time(Duration(kRead)),
                                              .value = 0,
                                              .more = 0}}};
  times.map(seen, clock, kLater);
  const Observed& observed = std::get<AgentSeen>(seen).observed;
  EXPECT_EQ(observed.at, Time(Duration(kDriver)));
  EXPECT_EQ(std::get<Seen>(observed.what).sensed, Time(Duration(kDriver)));

  AgentMessage line = AgentRankLine{.run = 1, .rank = 2, .line = "10000000000 step 7 200"};
  times.map(line, clock, kLater);
  EXPECT_EQ(std::get<AgentRankLine>(line).line, "9000000000 step 7 200")
      << "how long it took is no time point";

  AgentMessage injected = AgentInjected{.injection = 3, .ok = true, .at_ns = kRead, .why = {}};
  times.map(injected, clock, kLater);
  EXPECT_EQ(std::get<AgentInjected>(injected).at_ns, kDriver);

  AgentMessage exited = AgentRankExited{.at_ns = kRead};
  times.map(exited, clock, kLater);
  EXPECT_EQ(std::get<AgentRankExited>(exited).at_ns, kDriver);
  EXPECT_EQ(times.accuracy().largest_error, 100us);
}

// A policy takes what was sensed before the last start, by more than detection.clock_error, for a sign of ranks that have ended. So a true
// sign must not look older than that, however badly the clock of its host is known.
TEST_F(Times, ASignIsNeverTakenForOlderThanItIsByMoreThanPoliciesAllow) {
  AgentClock vague;  // one second ahead, known to 40 ms
  vague.add({.asked_ns = kDriver - 40'000'000, .read_ns = kRead, .answered_ns = kDriver + 40'000'000});
  const auto sensed = [&](std::int64_t arrived_ns, Duration early) {
    DriverTimes times(file, false);
    AgentMessage message = AgentSeen{{.at = Time(Duration(kRead)),
                                      .what = Seen{.watch = WatchId{1},
                                                   .who = component(HostId{0}),
                                                   .edge = Edge::sample,
                                                   .sensed = Time(Duration(kRead)),
                                                   .value = 0,
                                                   .more = 0}}};
    times.map(message, vague, arrived_ns, early);
    return std::get<Seen>(std::get<AgentSeen>(message).observed.what).sensed - Time(Duration(kDriver));
  };
  EXPECT_EQ(sensed(kLater, 10ms), 30ms) << "it may have been sensed 40 ms later than the middle";
  EXPECT_EQ(sensed(kLater, 40ms), 0ms);
  EXPECT_EQ(sensed(kLater, kForever), 0ms);
  EXPECT_EQ(sensed(kDriver + 5'000'000, 10ms), 5ms) << "not after it was heard";
}

TEST_F(Times, WhatARankPrintsBesidesStays) {
  DriverTimes times(file, false);
  for (const char* text : {"hello", "", "12 steps", "99999999999999999999 step 1 1"}) {
    AgentMessage line = AgentRankLine{.run = 1, .rank = 0, .line = text};
    times.map(line, clock, kLater);
    EXPECT_EQ(std::get<AgentRankLine>(line).line, text);
  }
}

TEST_F(Times, NothingHappenedAfterItWasHeardNorBeforeTheMachineRan) {
  DriverTimes times(file, false);
  AgentMessage late = AgentInjected{.at_ns = kRead, .why = {}};
  times.map(late, clock, kDriver - 50'000);
  EXPECT_EQ(std::get<AgentInjected>(late).at_ns, kDriver - 50'000);
  AgentMessage early = AgentInjected{.at_ns = 5, .why = {}};
  times.map(early, clock, kLater);
  EXPECT_EQ(std::get<AgentInjected>(early).at_ns, 0);
}

TEST_F(Times, OneClockIsLeftAlone) {
  DriverTimes times(file, true);
  AgentMessage injected = AgentInjected{.at_ns = kRead, .why = {}};
  times.map(injected, clock, kDriver);
  EXPECT_EQ(std::get<AgentInjected>(injected).at_ns, kRead);
  EXPECT_EQ(times.accuracy().largest_error, 0ns);
}

TEST_F(Times, ADriverThatTakesOverTwiceKnowsTheErrorsOfBothBefore) {
  const auto error_after = [&](int seconds) {
    DriverTimes times(file, false);
    AgentMessage injected = AgentInjected{.at_ns = kRead + seconds * 1'000'000'000LL, .why = {}};
    times.map(injected, clock, 10 * kLater);
    return times.accuracy().largest_error;
  };
  error_after(40);
  // A little more than what is assumed of the error in the file.
  const Duration second = error_after(46);
  EXPECT_GE(DriverTimes(file, false).accuracy().largest_error, second);
  const Duration same = error_after(1);
  for (int driver = 0; driver < 5; ++driver)
    EXPECT_EQ(error_after(1), same) << "a takeover alone adds nothing";
}

TEST_F(Times, ALaterDriverKnowsTheErrorOfAnEarlierOne) {
  Duration said{};
  {
    DriverTimes times(file, false);
    for (int second = 0; second < 60;
         ++second) {  // ever further from the exchange: the bound grows in small steps
      AgentMessage injected = AgentInjected{.at_ns = kRead + second * 1'000'000'000LL, .why = {}};
      times.map(injected, clock, 10 * kLater);
    }
    times.note_jump();
    said = times.accuracy().largest_error;
    EXPECT_GT(said, 29ms) << "500 ppm of 59 s";
  }
  const DriverTimes later(file, false);
  EXPECT_GE(later.accuracy().largest_error, said);
  EXPECT_LE(later.accuracy().largest_error, said + said / 4);
  EXPECT_EQ(later.accuracy().jumps, 1U);
}

}  // namespace
}  // namespace gauntlet
