#include "real/driver/measured_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::int64_t kDrillBeganNs = 5'000'000'000;

/// Two ranks; one kind of fault, which slows the job.
struct MeasuredTimes : testing::Test {
  MeasuredTimes() {
    world.job.layout = {.tp = 1, .pp = 2, .dp = 1};
    world.faults.resize(1);
    world.faults[0].effect = Effect::slow;
    plan.push_back({.at = kStart, .kind = FaultKindId{0}, .component = {ComponentKind::gpu, 1}});
    record.observations.push_back({kStart, Started{JobId{0}, {}}});
  }
  void ordered(Duration when, const Action& what) {
    record.orders.push_back({kStart + when, 1, {OrderId{1}, what}});
  }
  void said(std::uint32_t run, std::uint32_t rank, Duration when, RankLine line) {
    line.at_ns = kDrillBeganNs + when.count();
    raw.push_back({run, rank, std::move(line)});
  }
  void phase(std::uint32_t run, std::uint32_t rank, Duration when, const char* name) {
    said(run, rank, when, {.kind = RankLine::Kind::phase, .pattern = name});
  }
  void up(std::uint32_t run, Duration when, std::int64_t step) {
    for (const std::uint32_t rank : {0U, 1U})
      said(run, rank, when, {.kind = RankLine::Kind::up, .step = step});
  }
  void line(Duration when, RankLine::Kind kind, std::int64_t step) {
    said(1, 0, when, {.kind = kind, .step = step});
  }
  std::vector<Measurement> measured() const {
    return measured_times(world, plan, raw, {}, journal, record, DrillClock(kDrillBeganNs));
  }
  static Measurement of(Measured what, Duration at, Duration took) {
    return {.what = what, .at = kStart + at, .took = took};
  }

  World world;
  FaultPlan plan;
  std::vector<RawProgress::Entry> raw;
  std::vector<JournalEntry> journal;
  Record record;
};

TEST_F(MeasuredTimes, APhaseEndsWithTheLastRankAndTheLastPhaseWithTraining) {
  ordered(1s, Start{});
  phase(1, 0, 2s, "process_start");
  phase(1, 1, 3s, "process_start");
  phase(1, 1, 5s, "communicator_init");
  phase(1, 0, 4s, "communicator_init");
  up(1, 9s, 0);
  EXPECT_THAT(measured(), ElementsAre(of(Measured::process_start, 3s, 2s),
                                      of(Measured::communicator_init, 5s, 2s), of(Measured::load, 9s, 4s)));
}

TEST_F(MeasuredTimes, AStartInWhichARankDidNotComeUpIsNotMeasured) {
  ordered(1s, Start{});
  for (const std::uint32_t rank : {0U, 1U}) phase(1, rank, 2s, "process_start");
  said(1, 0, 3s, {.kind = RankLine::Kind::up, .step = 0});
  EXPECT_THAT(measured(), IsEmpty());
}

TEST_F(MeasuredTimes, ADataLoaderComesAfterTheLoad) {
  ordered(0s, Start{});
  for (const std::uint32_t rank : {0U, 1U}) {
    phase(1, rank, 1s, "process_start");
    phase(1, rank, 3s, "load");
    phase(1, rank, 6s, "data_loader");
  }
  up(1, 7s, 0);
  EXPECT_THAT(measured(), ElementsAre(of(Measured::process_start, 1s, 1s), of(Measured::load, 3s, 2s),
                                      of(Measured::data_loader, 7s, 4s)));
}

TEST_F(MeasuredTimes, StepsStallsAndDurableCheckpoints) {
  up(1, 1s, 4);
  line(3s, RankLine::Kind::step, 5);
  line(4s, RankLine::Kind::stall, 5);
  line(6s, RankLine::Kind::step, 6);
  line(7s, RankLine::Kind::saved, 5);
  EXPECT_THAT(measured(), ElementsAre(of(Measured::step, 3s, 2s), of(Measured::stall, 4s, 1s),
                                      of(Measured::step, 6s, 2s), of(Measured::persist, 7s, 3s)));
}

TEST_F(MeasuredTimes, StepsThatNobodyHeardOfAreNotOneLongStep) {
  up(1, 1s, 0);
  line(2s, RankLine::Kind::step, 1);
  line(9s, RankLine::Kind::step, 5);
  line(10s, RankLine::Kind::step, 6);
  EXPECT_THAT(measured(), ElementsAre(of(Measured::step, 2s, 1s), of(Measured::step, 10s, 1s)));
}

TEST_F(MeasuredTimes, WhatAFaultSlowsIsNotHowLongAStepTakes) {
  up(1, 1s, 0);
  line(2s, RankLine::Kind::step, 1);
  line(5s, RankLine::Kind::step, 2);
  line(7s, RankLine::Kind::step, 3);
  line(8s, RankLine::Kind::step, 4);
  journal = {{JournalStep::observed, 0, kStart + 3s}, {JournalStep::undone, 0, kStart + 6s}};
  EXPECT_THAT(measured(), ElementsAre(of(Measured::step, 2s, 1s), of(Measured::step, 8s, 1s)));
  journal.pop_back();
  EXPECT_THAT(measured(), ElementsAre(of(Measured::step, 2s, 1s)));
}

}  // namespace
}  // namespace gauntlet
