// Figures cross from rank to rank exactly; damaged bytes are refused.
#include "study/mpi/messages.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <tuple>

namespace gauntlet {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
constexpr auto kMost32 = std::numeric_limits<std::uint32_t>::max();

auto members(const Incident& i) {
  return std::tie(i.opened, i.closed, i.cause, i.component, i.detected, i.detection_latency, i.stops,
                  i.restarts, i.evictions_right, i.evictions_wrong, i.asked, i.unplanned, i.noticed,
                  i.handled, i.wrong_evictions, i.steps_lost, i.lost);
}
auto members(const Figures& f) {
  return std::tie(f.ending, f.wall, f.phases, f.lost, f.effective_corrupt, f.steps, f.iterations,
                  f.iteration_time, f.interruptions, f.planned_stops, f.false_alarms, f.faults, f.compensated,
                  f.compensated_work, f.tiltable_strikes, f.tiltable_expected, f.unplanned_rate,
                  f.detection_latency_sum, f.detected, f.evictions_right, f.evictions_wrong, f.asked,
                  f.spares_max_in_use, f.fault_scores, f.false_alerts, f.wrong_evictions, f.fingerprint,
                  f.over_time);
}

void expect_same(const Figures& a, const Figures& b) {
  EXPECT_EQ(members(a), members(b));
  ASSERT_EQ(a.incidents.size(), b.incidents.size());
  for (std::size_t i = 0; i < a.incidents.size(); ++i)
    EXPECT_EQ(members(a.incidents[i]), members(b.incidents[i]));
}

// Every member differs from every other, and the largest and smallest values are among them.
Figures distinct_figures() {
  Figures f;
  f.ending = Ending::gave_up;
  f.wall = Duration(kMost);
  for (std::size_t i = 0; i < kPhases; ++i)
    f.phases[i] = Duration(i % 2 == 0 ? 1'000'000'007LL * static_cast<int>(i + 1) : 0);
  f.lost.resize(7);
  f.lost[0].back() = Duration(kLeast);
  f.lost[6].front() = Duration(-1);
  f.lost[3].fill(Duration(64));
  f.effective_corrupt = Duration(63);
  f.steps = kLeast;
  f.iterations = -64;
  f.iteration_time = Duration(-65);
  f.interruptions = kMost32;
  f.planned_stops = 127;
  f.false_alarms = 128;
  f.faults = {0, 16'383, 16'384, kMost32};
  f.compensated = {-0.0, std::nextafter(-3.5, 0.0), 1e300, 0};
  f.compensated_work = std::nextafter(-0.75, 0.0);
  f.tiltable_strikes = 17;
  f.tiltable_expected = std::nextafter(16.5, 0.0);
  f.unplanned_rate = std::nextafter(0.1, 1.0);
  f.detection_latency_sum = Duration(5);
  f.detected = 6;
  f.evictions_right = 7;
  f.evictions_wrong = 8;
  f.asked = 9;
  f.spares_max_in_use = 10;
  f.fault_scores.resize(3);
  f.fault_scores[1] = {.met = 11,
                       .detected = 12,
                       .missed = 13,
                       .latencies = *Latencies::from_bins({{14, 15}, {1600, 1'700'000}}),
                       .missed_cost = Duration(18),
                       .incidents = 19,
                       .handled = 20,
                       .handled_time = Duration(21),
                       .evictions_wrong = 22,
                       .wrong_evictions = Duration(23)};
  f.false_alerts = 24;
  f.wrong_evictions = Duration(25);
  f.fingerprint = std::numeric_limits<std::uint64_t>::max();
  f.over_time.resize(2);
  f.over_time[1].phases[2] = Duration(26);
  f.over_time[1].steps = 27;
  Incident incident{.opened = Time(Duration(1)),
                    .closed = Time(Duration(2)),
                    .cause = {3},
                    .component = {ComponentKind::nic, 4},
                    .detected = true,
                    .detection_latency = Duration(5),
                    .stops = 6,
                    .restarts = 7,
                    .evictions_right = 8,
                    .evictions_wrong = 9,
                    .asked = 10,
                    .unplanned = true,
                    .noticed = false,
                    .handled = true,
                    .wrong_evictions = Duration(12),
                    .steps_lost = -11,
                    .lost = f.phases};
  f.incidents = {incident, {}};
  return f;
}

TEST(Messages, FiguresCrossExactly) {
  const Done sent{.number = 1ULL << 63, .figures = {distinct_figures(), Figures{}}};
  const auto received = decode(encode(sent));
  ASSERT_TRUE(received);
  const auto* done = std::get_if<Done>(&*received);
  ASSERT_NE(done, nullptr);
  EXPECT_EQ(done->number, sent.number);
  ASSERT_EQ(done->figures.size(), 2u);
  expect_same(done->figures[0], sent.figures[0]);
  expect_same(done->figures[1], sent.figures[1]);
}

// What bounds a study on many ranks, with the time of a replica (docs/scaling.md).
TEST(Messages, AReplicaOfTheMainJobIsAnAnswerOfLessThanAKilobyte) {
  const LoadedPoint main_job = PointSource("llama3-405b-54d", {}, 1).point();
  ASSERT_TRUE(main_job.point);
  TaskRunner runner({.seed = 1, .incident_replicas = 0});
  Done done;
  runner.run(main_job.point, {.point = 0, .first = 0, .count = kTaskReplicas}, done.figures);
  const std::size_t bytes = encode(done).size() + encode(Job{.number = 1000, .task = {}}).size();
  std::printf("%zu bytes a replica, and %zu once a rank\n", bytes / kTaskReplicas,
              encode(PointText{.point = 0, .text = main_job.point->text, .tilt = 1}).size());
  EXPECT_LT(bytes / kTaskReplicas, 1000u);
  EXPECT_GT(bytes / kTaskReplicas, 100u);
}

TEST(Messages, EveryKindCrosses) {
  const Terms terms{
      .terms = {.seed = ~0ULL, .incident_replicas = 3, .full_telemetry = true, .bucket = Duration(5)},
      .threads = 64};
  const auto terms_back = std::get<Terms>(*decode(encode(terms)));
  EXPECT_EQ(terms_back.terms.seed, ~0ULL);
  EXPECT_EQ(terms_back.terms.incident_replicas, 3u);
  EXPECT_TRUE(terms_back.terms.full_telemetry);
  EXPECT_EQ(terms_back.terms.bucket, Duration(5));
  EXPECT_EQ(terms_back.threads, 64u);
  const auto point =
      std::get<PointText>(*decode(encode(PointText{.point = 5, .text = "a = \"\xff\"\n", .tilt = 1.25})));
  EXPECT_EQ(point.point, 5u);
  EXPECT_EQ(point.tilt, 1.25);
  EXPECT_EQ(point.text, "a = \"\xff\"\n");
  const auto job =
      std::get<Job>(*decode(encode(Job{.number = 7, .task = {.point = 1, .first = 2, .count = 3}})));
  EXPECT_EQ(job.number, 7u);
  EXPECT_EQ(job.task, (Task{.point = 1, .first = 2, .count = 3}));
  EXPECT_EQ(std::get<Failed>(*decode(encode(Failed{.number = 1, .why = "x"}))).why, "x");
  EXPECT_EQ(std::get<Hello>(*decode(encode(Hello{.build = "b", .host = "h"}))).host, "h");
  EXPECT_FALSE(std::get<Leave>(*decode(encode(Leave{.together = false}))).together);
  for (const Message& plain : {Message(Alive{}), Message(End{}), Message(Bye{})})
    EXPECT_EQ(decode(encode(plain))->index(), plain.index());
}

TEST(Messages, WhatIsCutShortOrTooLongIsRefused) {
  const std::string whole = encode(Done{.number = 1, .figures = {distinct_figures()}});
  for (std::size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(decode(whole.substr(0, size))) << size;
  EXPECT_FALSE(decode(whole + "x"));
}

// Numbers that do not fit once lost their upper bits, and the message was another one.
TEST(Messages, ANumberThatDoesNotFitIsRefused) {
  const auto kind = [](const Message& message) { return encode(message).substr(0, 1); };
  EXPECT_TRUE(std::get<Leave>(*decode(kind(Leave{}) + "\x01")).together);
  EXPECT_FALSE(decode(kind(Leave{}) + "\x02")) << "a bool";
  const std::string most = std::string(9, '\xff') + "\x01", more = std::string(9, '\xff') + "\x03";
  EXPECT_EQ(std::get<Failed>(*decode(kind(Failed{}) + most + std::string(1, '\0'))).number, ~0ULL);
  EXPECT_FALSE(decode(kind(Failed{}) + more + std::string(1, '\0'))) << "65 bits";

  const std::string whole = encode(Done{.number = 1, .figures = {Figures{}}});
  const std::size_t ending = 3;  // behind the kind, the job's number and the count of figures
  ASSERT_EQ(whole[ending], static_cast<char>(Ending::completed));
  EXPECT_FALSE(decode(whole.substr(0, ending) + "\x82\x02" + whole.substr(ending + 1))) << "258 is no ending";
}

// Memory comes with the bytes that were read and not with a count that was claimed.
TEST(Messages, AnAnswerThatClaimsManyFiguresTakesNoMemoryForThem) {
  constexpr std::size_t kBytes = 1 << 20;
  std::string bytes = encode(Message(Done{})).substr(0, 2) + "\xff\xff\x3f";  // 1,048,575 figures
  bytes.resize(kBytes + 64, '\xff');
  const auto peak = [] {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;  // in KiB
  };
  const long before = peak();
  EXPECT_FALSE(decode(bytes));
  EXPECT_LT(peak() - before, 64 * 1024);
}

TEST(Messages, DamageIsRefusedOrReadButNeverHarms) {
  const std::string whole = encode(Done{.number = 1, .figures = {distinct_figures()}});
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (const int bits : {0x01, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bits);
      const auto read = decode(damaged);
      if (read && std::holds_alternative<Done>(*read)) {
        for (const Figures& figures : std::get<Done>(*read).figures)
          EXPECT_LE(figures.ending, Ending::stopped);
      }
    }
}

}  // namespace
}  // namespace gauntlet
