// Faults and the observations that show them, of hand-made logs; slices that overlap; how observations are drawn together.
#include "commands/timeline/chain.hpp"
#include "commands/timeline/episodes.hpp"
#include "commands/timeline/plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

constexpr ComponentId host(std::uint32_t number) { return {ComponentKind::host, number}; }

Truth entry(Duration at, TruthKind what, std::uint32_t number, bool stops) {
  return {.at = kStart + at,
          .what = what,
          .kind = {0},
          .component = host(number),
          .host = {number},
          .on_job = true,
          .stops = stops,
          .disturbs = true};
}

/// A record in which each observation of a host is made at a time, and some are answered.
class RecordMaker {
 public:
  RecordMaker() {
    add(0s, Started{.job = {0}, .inventory = {.job_hosts = 8, .spares = 1, .layout = {}}}, false);
  }
  RecordMaker& seen(Duration at, ComponentId who, bool is_answered) {
    return add(at, Seen{.watch = {1}, .who = who, .sensed = kStart + at}, is_answered);
  }
  RecordMaker& add(Duration at, const Observation& what, bool is_answered) {
    record_.observations.push_back({.at = kStart + at, .what = what});
    if (!is_answered) return *this;
    record_.orders.push_back({.at = kStart + at,
                              .observations = static_cast<std::uint32_t>(record_.observations.size()),
                              .order = {.id = {record_.orders.size() + 1}, .what = Stop{.job = {0}}}});
    return *this;
  }
  Record take() { return std::move(record_); }

 private:
  Record record_;
};

std::vector<FaultEpisode> found(const TruthLog& truth, const Record& record) {
  std::vector<FaultEpisode> episodes = episodes_of(truth, record.observations.back().at);
  find_observations(truth, record, episodes);
  return episodes;
}

TEST(FaultEpisodes, AnEndBelongsToTheLatestFaultOfItsKindAndComponent) {
  const TruthLog truth = {entry(1s, TruthKind::onset, 3, false), entry(2s, TruthKind::onset, 4, false),
                          entry(3s, TruthKind::onset, 3, false), entry(4s, TruthKind::grew, 3, false),
                          entry(5s, TruthKind::ended, 3, false), entry(6s, TruthKind::ended, 5, false)};
  const auto episodes = episodes_of(truth, kStart + 9s);
  ASSERT_EQ(episodes.size(), 3U);
  EXPECT_EQ(episodes[0].end, kStart + 9s);
  EXPECT_FALSE(episodes[0].ended);
  EXPECT_EQ(episodes[2].end, kStart + 5s);
  EXPECT_EQ(episodes[2].later, std::vector<std::size_t>{3});
}

TEST(FaultEpisodes, AnObservationThatNamesTheHostShowsTheFault) {
  const TruthLog truth = {entry(1s, TruthKind::onset, 3, false)};
  const auto episodes =
      found(truth,
            RecordMaker().seen(500ms, host(3), true).seen(2s, host(4), true).seen(3s, host(3), false).take());
  EXPECT_EQ(episodes[0].names_host, 3U);
  EXPECT_FALSE(episodes[0].answered) << "it stops nothing";
}

TEST(FaultEpisodes, TheNextAnsweredObservationShowsAStop) {
  const TruthLog truth = {entry(1s, TruthKind::onset, 3, true)};
  const auto episodes = found(
      truth, RecordMaker().seen(2s, host(5), false).seen(3s, host(6), true).seen(4s, host(3), true).take());
  EXPECT_EQ(episodes[0].answered, 2U);
  EXPECT_EQ(episodes[0].names_host, 3U);
}

TEST(FaultEpisodes, AnObservationThatNamesAnotherFaultIsNotTheAnswerToAStop) {
  const TruthLog truth = {entry(1s, TruthKind::onset, 4, false), entry(2s, TruthKind::onset, 3, true)};
  const auto episodes = found(truth, RecordMaker().seen(3s, host(4), true).seen(4s, host(6), true).take());
  EXPECT_EQ(episodes[0].names_host, 1U);
  EXPECT_EQ(episodes[1].answered, 2U);
}

TEST(FaultEpisodes, OfTwoFaultsOfAHostTheLatestIsNamed) {
  const TruthLog truth = {entry(1s, TruthKind::onset, 3, false), entry(2s, TruthKind::ended, 3, false),
                          entry(3s, TruthKind::onset, 3, false)};
  const auto episodes = found(truth, RecordMaker().seen(4s, host(3), false).seen(5s, host(3), false).take());
  EXPECT_EQ(episodes[1].names_host, 1U);
  EXPECT_FALSE(episodes[0].names_host) << "it was over";
}

TEST(FaultEpisodes, WhatEndedLongAgoIsNotNamed) {
  const TruthLog truth = {entry(1s, TruthKind::onset, 3, false), entry(2s, TruthKind::ended, 3, false)};
  EXPECT_EQ(found(truth, RecordMaker().seen(2s + 1h, host(3), false).take())[0].names_host, 1U);
  EXPECT_FALSE(found(truth, RecordMaker().seen(3s + 1h, host(3), false).take())[0].names_host);
}

TEST(TracePlan, SlicesThatOverlapGetTracksOfTheirOwn) {
  TracePlan plan;
  const GroupNumber second = plan.group(2, "second"), first = plan.group(1, "first");
  const SliceNumber a = plan.add(first, kStart, kStart + 5us, {.name = "a", .category = "c"});
  const SliceNumber b = plan.add(first, kStart + 1us, kStart + 2us, {.name = "b", .category = "c"});
  plan.add(first, kStart + 2us, kStart + 3us, {.name = "c", .category = "c"});
  plan.add(second, kStart, kStart + 1us, {.name = "d", .category = "c"});
  plan.link(a, b, "leads");
  EXPECT_EQ(plan.events(), 6U);
  TraceEvents events("gauntlet test", {});
  events.name_process(1, "p");
  plan.write(1, events);
  const std::string text = events.text();
  EXPECT_EQ(events.tracks(), 3U);
  EXPECT_THAT(text, HasSubstr("\"tid\":1001,\"args\":{\"name\":\"first\"}"));
  EXPECT_THAT(text, HasSubstr("\"tid\":1002,\"args\":{\"name\":\"first (2)\"}"));
  EXPECT_THAT(text, HasSubstr("\"tid\":1003,\"args\":{\"name\":\"second\"}"));
  EXPECT_THAT(text, HasSubstr("\"name\":\"c\",\"cat\":\"c\",\"pid\":1,\"tid\":1002"));
  EXPECT_THAT(text, HasSubstr("{\"ph\":\"f\",\"id\":1,\"ts\":1,"));
}

TEST(TracePlan, ASliceOfNoLengthKeepsItsTimeFromLongerOnes) {
  TracePlan plan;
  const GroupNumber group = plan.group(1, "group");
  for (const Duration length : {0us, 0us, 5us, 0us})
    plan.add(group, kStart + 1us, kStart + 1us + length, {.name = "x", .category = "c"});
  TraceEvents events("gauntlet test", {});
  events.name_process(1, "p");
  plan.write(1, events);
  EXPECT_EQ(events.tracks(), 2U);
  EXPECT_THAT(events.text(), HasSubstr("\"dur\":5,\"name\":\"x\",\"cat\":\"c\",\"pid\":1,\"tid\":1002"));
}

TEST(Chain, ManyUnansweredObservationsAreDrawnTogether) {
  RecordMaker maker;
  for (int i = 1; i <= 10; ++i) maker.seen(i * 1s, host(2), i == 5);
  TimelineRun run{.title = "t", .world = {}, .record = maker.take(), .logs = {}};
  const auto drawn = [&](std::size_t most) {
    TracePlan plan;
    add_chain(run, plan, most);
    TraceEvents events("gauntlet test", {});
    events.name_process(1, "p");
    plan.write(1, events);
    return events.text();
  };
  EXPECT_THAT(drawn(10), Not(HasSubstr("observations\"")));
  const std::string together = drawn(9);
  EXPECT_THAT(together, HasSubstr("\"ts\":1000000,\"dur\":3000000,\"name\":\"4 observations\""));
  EXPECT_THAT(together, HasSubstr("\"ts\":5000000,\"dur\":0,\"name\":\"host 2\""));
  EXPECT_THAT(together, HasSubstr("\"ts\":6000000,\"dur\":4000000,\"name\":\"5 observations\""));
}

TEST(Chain, UnansweredObservationsOfOneTimeAreDrawnTogether) {
  RecordMaker maker;
  for (const Duration at : {1s, 1s, 1s, 2s, 2s}) maker.seen(at, host(2), false);
  maker.seen(2s, host(3), true);
  TimelineRun run{.title = "t", .world = {}, .record = maker.take(), .logs = {}};
  TracePlan plan;
  add_chain(run, plan);
  TraceEvents events("gauntlet test", {});
  events.name_process(1, "p");
  plan.write(1, events);
  const std::string text = events.text();
  EXPECT_THAT(text, HasSubstr("\"ts\":1000000,\"dur\":0,\"name\":\"2 observations\""));
  EXPECT_THAT(text, HasSubstr("\"ts\":2000000,\"dur\":0,\"name\":\"1 observation\""));
  EXPECT_THAT(text, HasSubstr("\"ts\":2000000,\"dur\":0,\"name\":\"host 3\""));
}

TEST(TracePlan, ThousandsOfSlicesOfNoLengthAreNotStacked) {
  TracePlan plan;
  const GroupNumber group = plan.group(1, "group");
  for (int i = 0; i < 100; ++i) plan.add(group, kStart, kStart, {.name = "x", .category = "c"});
  TraceEvents events("gauntlet test", {});
  events.name_process(1, "p");
  plan.write(1, events);
  EXPECT_EQ(events.tracks(), 4U);  // 32 in each
}

}  // namespace
}  // namespace gauntlet
