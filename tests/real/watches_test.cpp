#include "real/signals/watches.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr HostId kHost{3};
constexpr WatchId kWatch{7};

Time moment(Duration since_start) { return kStart + since_start; }

Watch job_watch(Signal signal, decltype(Watch::until) until) {
  return {.id = kWatch, .signal = signal, .who = Scope::all(ComponentKind::job), .until = until};
}
Watch host_watch(Signal signal, PatternId pattern, std::uint16_t first = kEachMember) {
  return {.id = kWatch,
          .signal = signal,
          .who = Scope::all(ComponentKind::host),
          .until = Match{pattern},
          .first = first};
}

TEST(Watches, AMissingStepIsReportedOnceAndItsReturnToo) {
  Watches watches(kHost);
  ASSERT_TRUE(watches.add(job_watch(Signal::step, Silence{10s}), moment(0s)));
  EXPECT_EQ(watches.deadline(), kNever) << "nothing trains yet";
  watches.began(moment(100s));
  EXPECT_EQ(watches.deadline(), moment(110s));
  watches.on_step(2.0, moment(105s));
  EXPECT_EQ(watches.deadline(), moment(115s)) << "the step moved it";
  watches.on_deadline(moment(110s));
  EXPECT_TRUE(watches.take(moment(110s)).empty()) << "an older deadline";
  watches.on_deadline(moment(115s));
  watches.on_deadline(moment(116s));
  watches.on_step(12.0, moment(117s));
  const std::vector<Seen> seen = watches.take(moment(117s));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].edge, Edge::began);
  EXPECT_EQ(seen[0].sensed, moment(115s));
  EXPECT_EQ(seen[0].who, component(JobId{0}));
  EXPECT_EQ(seen[1].edge, Edge::ended);
  EXPECT_EQ(seen[1].value, 12.0);
}

TEST(Watches, StoppedRanksAreNotMissedAndANewRunIsAwaitedAfresh) {
  Watches watches(kHost);
  watches.add(job_watch(Signal::step, Silence{10s}), moment(0s));
  watches.began(moment(0s));
  watches.gone();
  EXPECT_EQ(watches.deadline(), kNever);
  watches.on_deadline(moment(60s));
  EXPECT_TRUE(watches.take(moment(60s)).empty());
  watches.began(moment(100s));
  EXPECT_EQ(watches.deadline(), moment(110s));
}

TEST(Watches, AWatchThatComesLateWaitsSinceTheLastStep) {
  Watches watches(kHost);
  watches.began(moment(0s));
  watches.on_step(2.0, moment(2s));
  watches.add(job_watch(Signal::step, Silence{10s}), moment(9s));
  EXPECT_EQ(watches.deadline(), moment(12s));
}

TEST(Watches, SamplesAndBandsPassStepsAndStalls) {
  Watches watches(kHost);
  watches.began(moment(0s));
  watches.add(job_watch(Signal::checkpoint_stall, Sample{1}), moment(0s));
  Watch band = job_watch(Signal::step, Outside{1.0, 3.0});
  band.id = WatchId{8};
  watches.add(band, moment(0s));
  watches.on_step(2.0, moment(1s));   // inside
  watches.on_stall(0.5, moment(2s));  // the one sample
  watches.on_stall(0.5, moment(3s));  // no more are wanted
  watches.on_step(4.0, moment(4s));   // leaves
  watches.on_step(5.0, moment(5s));   // is outside still
  watches.on_step(3.0, moment(6s));   // back: the edge is inside
  const std::vector<Seen> seen = watches.take(moment(6s));
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[0].watch, kWatch);
  EXPECT_EQ(seen[0].edge, Edge::sample);
  EXPECT_EQ(seen[0].value, 0.5);
  EXPECT_EQ(seen[1].edge, Edge::began);
  EXPECT_EQ(seen[1].value, 4.0);
  EXPECT_EQ(seen[2].edge, Edge::ended);
}

TEST(Watches, LogLinesMatchByTheDriversNames) {
  Watches watches(kHost);
  watches.reset({"collective_timeout", "nan"});
  watches.add(host_watch(Signal::log_line, PatternId{1}), moment(0s));
  watches.on_log("collective_timeout", moment(1s));
  watches.on_log("unknown", moment(2s));
  watches.on_log("nan", moment(3s));
  const std::vector<Seen> seen = watches.take(moment(3s));
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].sensed, moment(3s));
  EXPECT_EQ(seen[0].who, component(kHost));
  EXPECT_EQ(seen[0].value, 0);
}

TEST(Watches, ABurstBeyondTheFirstFewArrivesAsOneCount) {
  Watches watches(kHost);
  watches.add(host_watch(Signal::process_exit, PatternId{0}, 1), moment(0s));
  for (int i = 0; i < 4; ++i) watches.on_exit(3, moment(1s));
  const std::vector<Seen> seen = watches.take(moment(1s));
  ASSERT_EQ(seen.size(), 2U);  // the first, and the second with two more: four in all
  EXPECT_EQ(seen[0].more, 0U);
  EXPECT_EQ(seen[1].more, 2U);
  watches.on_exit(4, moment(2s));
  EXPECT_EQ(watches.take(moment(2s)).size(), 1U) << "the next burst starts afresh";
}

TEST(Watches, ExitsWithinTheBandOfVictimsAreNotReported) {
  Watches watches(kHost);
  const Watch watch = {.id = kWatch,
                       .signal = Signal::process_exit,
                       .who = Scope::all(ComponentKind::host),
                       .until = Outside{.low = 3, .high = 5}};
  ASSERT_TRUE(watches.add(watch, moment(0s)));
  for (const std::int32_t code : {2, 3, 4, 5, 6}) watches.on_exit(code, moment(Duration(code)));
  std::vector<double> codes;
  for (const Seen& seen : watches.take(moment(10s))) codes.push_back(seen.value);
  EXPECT_EQ(codes, (std::vector<double>{2, 6}));
}

TEST(Watches, OnlyTheHostThatIsMeantReports) {
  Watches watches(kHost);
  Watch other = host_watch(Signal::process_exit, PatternId{0});
  other.who = Scope::one(component(HostId{4}));
  watches.add(other, moment(0s));
  watches.on_exit(1, moment(1s));
  EXPECT_TRUE(watches.take(moment(1s)).empty());
  other.who = Scope::one(component(kHost));  // the same id: in place of the first
  watches.add(other, moment(1s));
  watches.on_exit(1, moment(2s));
  EXPECT_EQ(watches.take(moment(2s)).size(), 1U);
  watches.remove(kWatch);
  watches.on_exit(1, moment(3s));
  EXPECT_TRUE(watches.take(moment(3s)).empty());
}

TEST(Watches, WhatNoAgentCanFilterIsRefused) {
  Watches watches(kHost);
  EXPECT_FALSE(watches.add(job_watch(Signal::heartbeat, Silence{1s}), moment(0s)));
  EXPECT_FALSE(watches.add(job_watch(Signal::checkpoint_stall, Silence{1s}), moment(0s)));
  EXPECT_FALSE(watches.add(job_watch(Signal::step, Match{}), moment(0s)));
  EXPECT_FALSE(watches.add(host_watch(Signal::heartbeat, PatternId{0}), moment(0s)));
  EXPECT_FALSE(watches.add(job_watch(Signal::process_exit, Sample{1}), moment(0s)));
}

TEST(Watches, TrafficIsMissedWhileTheHostsRanksTrain) {
  Watches watches(kHost);
  ASSERT_TRUE(watches.add({.id = kWatch,
                           .signal = Signal::traffic,
                           .who = Scope::hosts_of(JobId{0}),
                           .until = Silence{10s},
                           .first = 0},
                          moment(0s)));
  EXPECT_TRUE(watches.wants(Signal::traffic));
  EXPECT_FALSE(watches.wants(Signal::loss));
  EXPECT_EQ(watches.deadline(), kNever);
  watches.began(moment(1s));
  EXPECT_EQ(watches.deadline(), kNever) << "the job's steps are another thing";
  watches.host_began(moment(2s));
  watches.on_host(Signal::traffic, 1.0, moment(5s));
  EXPECT_EQ(watches.deadline(), moment(15s));
  watches.on_deadline(moment(15s));
  watches.on_host(Signal::traffic, 0.9, moment(20s));
  const std::vector<Seen> seen = watches.take(moment(20s));
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].edge, Edge::began);
  EXPECT_EQ(seen[0].who, component(kHost));
  EXPECT_EQ(seen[1].edge, Edge::ended);
  watches.host_gone();
  watches.on_host(Signal::traffic, 0.9, moment(21s));
  EXPECT_EQ(watches.deadline(), kNever);
}

TEST(Watches, SegmentTimesLossAndTheLastCollectiveAreNumbers) {
  for (const auto& [signal, of_host] : {std::pair(Signal::forward_time, true),
                                        {Signal::backward_time, true},
                                        {Signal::traffic_period, true},
                                        {Signal::loss, false}}) {
    Watches watches(kHost);
    ASSERT_TRUE(watches.add(job_watch(signal, Outside{0, 1}), moment(0s)));
    EXPECT_FALSE(watches.add(job_watch(signal, Silence{1s}), moment(0s))) << "nobody misses them";
    const auto put = [&watches, signal = signal, of_host = of_host](double value) {
      if (of_host)
        watches.on_host(signal, value, moment(1s));
      else
        watches.on_loss(value, moment(1s));
    };
    watches.host_began(moment(0s));
    put(0.5);
    put(2);
    put(3);
    const std::vector<Seen> seen = watches.take(moment(1s));
    ASSERT_EQ(seen.size(), 1U);
    EXPECT_EQ(seen[0].value, 2);
    EXPECT_EQ(seen[0].who, of_host ? component(kHost) : component(JobId{0}));
  }
  Watches watches(kHost);
  watches.add(job_watch(Signal::last_collective, Sample{1}), moment(0s));
  watches.on_host(Signal::last_collective, 3, moment(1s));  // asked for when nothing trains
  watches.on_host(Signal::last_collective, 3, moment(2s));
  EXPECT_EQ(watches.take(moment(2s)).size(), 1U);
}

}  // namespace
}  // namespace gauntlet
