#include "real/driver/raw_progress.hpp"

#include "tests/real/scratch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kStartedNs = 7'000'000'000;  // the drill's time zero on the machine's clock

Time at(Duration since_start) { return kStart + since_start; }
std::int64_t machine(Duration since_start) { return kStartedNs + Duration(since_start).count(); }

/// Two ranks, steps of 1 s, one kind of fault that stops the job.
struct AssembleLogs : testing::Test {
  AssembleLogs() {
    world.job.layout = {.tp = 1, .pp = 2, .dp = 1};
    world.job.step_time = 1s;
    world.inventory.gpus_per_host = 1;
    world.faults.resize(1);
    world.faults[0].effect = Effect::crash;
    plan.push_back({.at = at(0s), .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 1}});
    observed(0s, Started{JobId{0}, {}});
  }

  void observed(Duration when, const Observation& what) { record.observations.push_back({at(when), what}); }
  void ordered(Duration when, const Action& what) {
    record.orders.push_back(
        {at(when), static_cast<std::uint32_t>(record.observations.size()), {OrderId{1}, what}});
  }
  void up(std::uint32_t run, std::uint32_t rank, Duration when, std::int64_t step) {
    raw.push_back({run, rank, {.at_ns = machine(when), .kind = RankLine::Kind::up, .step = step}});
  }
  void step(std::uint32_t run, Duration when, std::int64_t number) {
    raw.push_back({run, 0, {.at_ns = machine(when), .kind = RankLine::Kind::step, .step = number}});
  }
  void stall(std::uint32_t run, Duration when, std::int64_t number) {
    raw.push_back({run, 0, {.at_ns = machine(when), .kind = RankLine::Kind::stall, .step = number}});
  }
  void injection(Duration when, JournalStep what) { journal.push_back({what, 0, at(when)}); }

  RunLogs logs() const {
    return assemble_logs(world, plan, raw, replicas, journal, record, DrillClock(kStartedNs));
  }

  World world;
  FaultPlan plan;
  std::vector<RawProgress::Entry> raw;
  RawProgress::Replicas replicas;
  std::vector<JournalEntry> journal;
  Record record;
};

struct Expected {
  Duration begin, end;
  std::int64_t first_step, steps;
};

/// In order, not overlapping, within the record, and of these steps.
void expect_stretches(const RunLogs& logs, Time record_ends, const std::vector<Expected>& wanted) {
  const std::vector<Stretch>& stretches = logs.progress.stretches;
  ASSERT_EQ(stretches.size(), wanted.size());
  Time last = kStart;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_EQ(stretches[i].begin, at(wanted[i].begin));
    EXPECT_EQ(stretches[i].end, at(wanted[i].end));
    EXPECT_EQ(stretches[i].first_step, wanted[i].first_step);
    EXPECT_EQ(stretches[i].reached_at(stretches[i].end).steps, wanted[i].steps);
    EXPECT_GE(stretches[i].begin, last);
    last = stretches[i].end;
  }
  EXPECT_LE(last, record_ends);
  for (const Truth& each : logs.truth) EXPECT_LE(each.at, record_ends);
}

TEST_F(AssembleLogs, APlainRunIsItsStepsAndStalls) {
  up(1, 0, 2s, 0);
  up(1, 1, 3s, 0);  // training begins when the last rank is up
  step(1, 4s, 1);
  stall(1, 4500ms, 1);
  step(1, 5500ms, 2);
  observed(6s, Finished{JobId{0}, Ending::completed});
  const RunLogs made = logs();
  // After the last step the ranks say goodbye until 6 s: a step under way that is never complete.
  expect_stretches(made, at(6s),
                   {{3s, 4s, 0, 1}, {4s, 4500ms, 1, 0}, {4500ms, 5500ms, 1, 1}, {5500ms, 6s, 2, 0}});
  EXPECT_EQ(made.progress.stretches[1].cadence.stall, 500ms);
  EXPECT_TRUE(made.truth.empty());
}

/// A pause of rank 1 from 3.2 s to 6 s. Rank 0 waits until the collective times out at 4.5 s, if it does.
struct APauseOfALink : AssembleLogs {
  APauseOfALink() {
    world.faults[0].effect = Effect::stall;
    ordered(0s, Watch{.id = WatchId{5},
                      .signal = Signal::log_line,
                      .who = Scope::all(ComponentKind::host),
                      .until = Match{kCollectiveTimeout},
                      .first = 1});
    up(1, 0, 1s, 0);
    up(1, 1, 1s, 0);
    step(1, 2s, 1);
    step(1, 3s, 2);
    injection(3200ms, JournalStep::observed);
  }
  void times_out(Duration when) {
    observed(when + 100ms, Seen{.watch = WatchId{5}, .who = {ComponentKind::host, 0}, .sensed = at(when)});
  }
};

TEST_F(APauseOfALink, ThatOutlastsTheCollectiveTimeoutStopsTheJobThen) {
  times_out(4500ms);
  injection(6s, JournalStep::undone);
  ordered(7s, Stop{JobId{0}});
  up(2, 0, 8s, 1);
  up(2, 1, 8s, 1);
  step(2, 9s, 2);
  observed(9s, Finished{JobId{0}, Ending::completed});
  const RunLogs made = logs();
  expect_stretches(made, at(9s), {{1s, 2s, 0, 1}, {2s, 3s, 1, 1}, {3s, 4500ms, 2, 0}, {8s, 9s, 1, 1}});
  ASSERT_EQ(made.truth.size(), 3U);
  EXPECT_EQ(made.truth[0].what, TruthKind::onset);
  EXPECT_EQ(made.truth[1].what, TruthKind::escalated);
  EXPECT_EQ(made.truth[1].at, at(4500ms));
  EXPECT_EQ(made.truth[1].host, made.truth[0].host);
  EXPECT_EQ(made.truth[2].what, TruthKind::ended);
}

TEST_F(APauseOfALink, EscalatesOnceHoweverManyRanksTimeOut) {
  times_out(4500ms);
  times_out(4600ms);
  injection(6s, JournalStep::undone);
  observed(9s, Finished{JobId{0}, Ending::completed});
  EXPECT_EQ(logs().truth.size(), 3U);
}

TEST_F(APauseOfALink, IsNotToBlameForATimeoutAfterItsEnd) {
  injection(4s, JournalStep::undone);
  times_out(4500ms);
  observed(9s, Finished{JobId{0}, Ending::completed});
  const RunLogs made = logs();
  ASSERT_EQ(made.truth.size(), 2U);
  EXPECT_EQ(made.truth[1].what, TruthKind::ended);
}

TEST_F(AssembleLogs, AFaultCutsTheStepUnderWayAndTheNextRunGoesOnFromItsCheckpoint) {
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 2s, 1);
  step(1, 3s, 2);
  injection(3600ms, JournalStep::observed);
  injection(5s, JournalStep::undone);
  observed(5s, HostReturned{HostId{0}});
  ordered(5s, Stop{JobId{0}});
  up(2, 0, 6s, 1);
  up(2, 1, 6s, 1);
  step(2, 7s, 2);
  observed(7s, Finished{JobId{0}, Ending::completed});
  const RunLogs made = logs();
  expect_stretches(made, at(7s), {{1s, 2s, 0, 1}, {2s, 3s, 1, 1}, {3s, 3600ms, 2, 0}, {6s, 7s, 1, 1}});
  ASSERT_EQ(made.truth.size(), 2U);
  EXPECT_EQ(made.truth[0].what, TruthKind::onset);
  EXPECT_EQ(made.truth[0].at, at(3600ms));
  EXPECT_EQ(made.truth[0].host, HostId{1});
  EXPECT_EQ(made.truth[1].what, TruthKind::ended);
  EXPECT_EQ(made.truth[1].at, at(5s));
}

TEST_F(AssembleLogs, AnOnsetThatACompletedStepOvertookMovesToItsEnd) {
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  injection(1900ms, JournalStep::observed);
  step(1, 2s, 1);
  observed(5s, HostReturned{HostId{0}});
  ordered(5s, Stop{JobId{0}});
  observed(6s, Finished{JobId{0}, Ending::gave_up});
  const RunLogs made = logs();
  expect_stretches(made, at(6s), {{1s, 2s, 0, 1}});
  ASSERT_EQ(made.truth.size(), 1U);
  EXPECT_EQ(made.truth[0].at, at(2s));
}

TEST_F(AssembleLogs, StepsThatNobodyHeardOfAreCountedWithTheNextOne) {
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 2s, 1);
  step(1, 8s, 5);  // 2 to 4 passed while no driver was there: four steps in 6 s
  observed(8s, Finished{JobId{0}, Ending::completed});
  const RunLogs made = logs();
  expect_stretches(made, at(8s), {{1s, 2s, 0, 1}, {2s, 8s, 1, 4}});
  EXPECT_EQ(made.progress.stretches[1].step, 1500ms);
  EXPECT_EQ(made.progress.stretches[1].healthy_step, 1s);
}

TEST_F(AssembleLogs, WhatCameAfterAnInterruptedRecordIsLeftOut) {
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 2s, 1);
  observed(2400ms, HostReturned{HostId{0}});  // the last that the driver observed
  step(1, 3s, 2);
  step(1, 4s, 3);
  injection(3500ms, JournalStep::observed);
  const RunLogs made = logs();
  expect_stretches(made, at(2400ms), {{1s, 2s, 0, 1}, {2s, 2400ms, 1, 0}});
  EXPECT_TRUE(made.truth.empty());
}

TEST_F(AssembleLogs, ARunThatBeganAfterAnInterruptedRecordIsLeftOut) {
  observed(900ms, HostReturned{HostId{0}});
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 2s, 1);
  expect_stretches(logs(), at(900ms), {});
}

// Files may hold what another plan or another trainer wrote; it is passed over.
TEST_F(AssembleLogs, WhatIsNotOfThisDrillIsPassedOver) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  up(1, 7, 9s, 0);  // there are two ranks
  step(1, 2s, 1);
  injection(2500ms, JournalStep::observed);
  plan.clear();            // no fault of that number
  step(1, 3s, kMost);      // steps of less than a nanosecond
  stall(1, 500ms, kMost);  // before it began
  observed(3s, Finished{JobId{0}, Ending::completed});
  const RunLogs made = logs();
  EXPECT_TRUE(made.truth.empty());
  expect_stretches(made, at(3s), {{1s, 2s, 0, 1}, {2s, 3s, 1, 0}});
}

TEST_F(AssembleLogs, ARecordOfNothingGivesNothing) {
  up(1, 0, 1s, 0);
  injection(2s, JournalStep::observed);
  record.observations.clear();
  EXPECT_TRUE(logs().truth.empty());
  EXPECT_TRUE(logs().progress.stretches.empty());
}

TEST_F(AssembleLogs, WhatSlowsTheJobDoesSoInItsTruth) {
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 2s, 1);
  injection(2500ms, JournalStep::observed);
  observed(3500ms, HostReturned{HostId{0}});
  world.faults[0].factor = 4;
  for (const Effect effect : {Effect::slow, Effect::degrade}) {
    world.faults[0].effect = effect;
    EXPECT_EQ(logs().truth.front().factor, 4);
  }
  world.faults[0].effect = Effect::stall;
  EXPECT_TRUE(std::isinf(logs().truth.front().factor));
  world.faults[0].effect = Effect::none;
  EXPECT_EQ(logs().truth.front().factor, 1);
}

TEST_F(AssembleLogs, ARequestToStopCutsNoStep) {
  world.faults[0].effect = Effect::preempt;
  plan[0].component = {ComponentKind::job, 0};
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 2s, 1);
  injection(2500ms, JournalStep::observed);
  injection(2500ms, JournalStep::undone);
  step(1, 3s, 2);
  observed(3500ms, HostReturned{HostId{0}});
  expect_stretches(logs(), at(3500ms), {{1s, 2s, 0, 1}, {2s, 3s, 1, 1}, {3s, 3500ms, 2, 0}});
  EXPECT_FALSE(logs().truth.front().disturbs);
}

TEST_F(AssembleLogs, WhatAStepTakesLongerForWantOfAReplicaIsSaidApart) {
  world.job.layout.dp = 2;
  replicas = {{1, 1}};
  up(1, 0, 1s, 0);
  up(1, 1, 1s, 0);
  step(1, 3500ms, 1);  // 2 s with one replica of two, and a half more
  observed(3500ms, HostReturned{HostId{0}});
  const RunLogs made = logs();
  ASSERT_EQ(made.progress.stretches.size(), 1u);
  EXPECT_EQ(made.progress.stretches[0].step, 2500ms);
  EXPECT_EQ(made.progress.stretches[0].healthy_step, 1s);
  EXPECT_EQ(made.progress.stretches[0].for_fewer, 1s);
}

TEST_F(AssembleLogs, AStartThatWasInterruptedTrainedNothing) {
  up(1, 0, 1s, 0);  // rank 1 never came up
  observed(3s, HostReturned{HostId{0}});
  expect_stretches(logs(), at(3s), {});
}

RankLine finished(std::uint64_t hash) { return {.kind = RankLine::Kind::finished, .hash = hash}; }
RankLine logged(std::string_view pattern, const std::string& text) {
  return {.kind = RankLine::Kind::log, .pattern = std::string(pattern), .text = text};
}

constexpr Layout kTwo{.tp = 1, .pp = 2, .dp = 1};

TEST(RawProgressFiles, TheFinalHashIsOfTheLastRunThatEveryRankFinished) {
  std::vector<RawProgress::Entry> raw = {{1, 0, finished(5)}, {1, 1, finished(6)}};
  const std::uint64_t both = final_hash(raw, {}, kTwo);
  EXPECT_NE(both, 0u);
  raw.push_back({2, 0, finished(9)});
  EXPECT_EQ(final_hash(raw, {}, kTwo), both);
  raw.push_back({2, 1, finished(6)});
  EXPECT_NE(final_hash(raw, {}, kTwo), both);
  EXPECT_EQ(final_hash(raw, {}, {.tp = 1, .pp = 3, .dp = 1}), 0u);
}

TEST(RawProgressFiles, ReplicasThatAgreeCountOnce) {
  constexpr Layout kWhole{.tp = 1, .pp = 2, .dp = 2};
  const std::uint64_t alone = final_hash({{1, 0, finished(5)}, {1, 1, finished(6)}}, {}, kTwo);
  std::vector<RawProgress::Entry> raw = {
      {1, 0, finished(5)}, {1, 1, finished(5)}, {1, 2, finished(6)}, {1, 3, finished(6)}};
  EXPECT_EQ(final_hash(raw, {}, kWhole), alone);
  raw[3].line.hash = 7;
  EXPECT_NE(final_hash(raw, {}, kWhole), alone);
  // A later run of one replica.
  raw.push_back({2, 0, finished(5)});
  EXPECT_NE(final_hash(raw, {{2, 1}}, kWhole), alone);
  raw.push_back({2, 1, finished(6)});
  EXPECT_EQ(final_hash(raw, {{2, 1}}, kWhole), alone);
}

TEST(RawProgressFiles, TheReplicasOfEachRunAreKept) {
  const Scratch place;
  const std::string file = place.path() / "progress";
  {
    RawProgress progress(file);
    progress.begin(1, 3);
    progress.add(1, 0, finished(5));
    progress.begin(2, 2);
  }
  const RawProgress again(file);
  EXPECT_EQ(again.replicas(), (RawProgress::Replicas{{1, 3}, {2, 2}}));
  EXPECT_EQ(again.entries().size(), 1u);
}

TEST(RawProgressFiles, EachWarningOfACheckpointIsKeptOnce) {
  const Scratch place;
  const std::string file = place.path() / "progress";
  {
    RawProgress first(file);
    first.add(1, 0, logged(kCheckpointDamaged, "a"));
    first.add(1, 0, logged("collective_timeout", "b"));
  }
  RawProgress second(file);
  second.add(2, 0, logged(kCheckpointDamaged, "a"));
  second.add(2, 0, logged(kCheckpointFailed, "c"));
  EXPECT_THAT(checkpoint_warnings(second.entries()), testing::ElementsAre("a", "c"));
}

// A crash may cut the last line anywhere: it is lost alone.
TEST(RawProgressFiles, ALineThatWasCutShortDoesNotSpoilTheNext) {
  const Scratch place;
  const std::string file = place.path() / "progress";
  put_bytes(file, "1 0 5 up 0\n1 1 6 u");
  RawProgress(file).add(1, 1, {.at_ns = 7, .kind = RankLine::Kind::up, .step = 3});
  EXPECT_EQ(bytes_of(file), "1 0 5 up 0\n1 1 7 up 3\n");
  EXPECT_EQ(RawProgress(file).entries().size(), 2u);

  const std::string journal = place.path() / "journal";
  put_bytes(journal, "5 armed 0\n6 beg");
  Journal(journal).write({JournalStep::began, 0, kStart});
  EXPECT_TRUE(Journal(journal).begun(0));
  EXPECT_FALSE(Journal(journal).answered(0));
}

}  // namespace
}  // namespace gauntlet
