// The work that stops take against what theory says of it, which no code here computes: less what was to be expected it has the mean
// zero, and its square less the squares of what each strike took has too (Andersen, Borgan, Gill, Keiding, Statistical Models Based
// on Counting Processes, 1993, sec. II.3 and II.4), whatever is done on the way, as long as that follows from the past.
#include "sim/faults/lost_work.hpp"

#include "core/random/stream.hpp"
#include "tests/sim/simple_gang.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

TEST(WorkAtRisk, RisesWithTrainingAndFallsWhenACheckpointIsWritten) {
  ProgressLog log;
  Gang gang(log);
  EXPECT_EQ(gang.work_at_risk(kStart), 0);
  // Steps of 1 s, a checkpoint after every 10 that blocks 2 s and is written 3 s later: taken at 12 s, written at 15 s.
  gang.begin(kStart, 0, kSecond, to_storage(10s, 2s, 3s));
  EXPECT_EQ(gang.work_at_risk(kStart), 0);
  EXPECT_DOUBLE_EQ(gang.work_at_risk(kStart + 6s), 6 / 15.0);
  EXPECT_NEAR(gang.work_at_risk(kStart + 15s - 1ns), 1, 1e-9);
  EXPECT_DOUBLE_EQ(gang.work_at_risk(kStart + 15s), 3 / 15.0);
  EXPECT_NEAR(gang.work_at_risk(kStart + 27s - 1ns), 1, 1e-9);
  EXPECT_DOUBLE_EQ(gang.work_at_risk(kStart + 28s), 4 / 15.0);
  gang.cut(kStart + 28s);
  EXPECT_EQ(gang.work_at_risk(kStart + 28s), 0);
  EXPECT_DOUBLE_EQ(gang.work_at_risk_integral(),
                   (15.0 * 15 / 2 + (15.0 * 15 - 3 * 3) / 2 + (16.0 - 9) / 2) / 15);
}

TEST(WorkAtRisk, IsThatOfTheCheckpointsThatSurviveTheLossOfAHost) {
  ProgressLog log;
  Gang gang(log);
  Gang::Checkpointing checkpointing = to_storage(60s, 0s, 0s);
  checkpointing[Tier::memory] = {.interval = 5s, .stall = 0s, .persist = 0s};
  gang.begin(kStart, 0, kSecond, checkpointing);
  EXPECT_DOUBLE_EQ(gang.work_at_risk(kStart + 30s), 0.5);
  gang.reset();
  checkpointing[Tier::peers] = {.interval = 20s, .stall = 0s, .persist = 0s};
  gang.begin(kStart + 40s, 0, kSecond, checkpointing);
  EXPECT_DOUBLE_EQ(gang.work_at_risk(kStart + 65s), 5 / 20.0);
}

TEST(WorkAtRisk, WithoutPeriodicCheckpointsIsZero) {
  ProgressLog log;
  Gang gang(log);
  gang.begin(kStart, 0, kSecond, {});
  EXPECT_EQ(gang.work_at_risk(kStart + 30s), 0);
  gang.cut(kStart + 30s);
  EXPECT_EQ(gang.work_at_risk_integral(), 0);
}

/// By the midpoint rule, over pauses and changes of pace.
TEST(WorkAtRisk, AddsUpToItsIntegral) {
  Stream whims({.study = 5}, stream_name("whims"));
  ProgressLog log;
  Gang gang(log);
  gang.begin(kStart, 0, kSecond, to_storage(10s, 500ms, 7s));
  double sum = 0;
  constexpr Duration kTick = 2ms;
  for (Time now = kStart; now < kStart + 400s; now += kTick) {
    sum += gang.work_at_risk(now + kTick / 2) * to_seconds(kTick);
    if (gang.state() == Gang::State::training && whims.uniform() < 1e-4) {
      gang.pause(now + kTick, FaultKindId{0}, kNever);
    } else if (gang.state() == Gang::State::paused && whims.uniform() < 1e-3) {
      gang.resume(now + kTick);
    } else if (gang.state() == Gang::State::training && gang.boundary_after(now + kTick) == now + kTick &&
               whims.uniform() < 0.1) {
      const Duration step = whims.uniform() < 0.5 ? 1s : 1'500ms;
      gang.change(now + kTick, {.step = step, .healthy_step = 1s}, to_storage(12s, 500ms, 7s), false);
    }
  }
  gang.cut(kStart + 400s);
  ASSERT_GT(log.pauses.size(), 3U);
  ASSERT_GT(log.stretches.size(), log.pauses.size() + 3) << "the pace changed";
  EXPECT_NEAR(gang.work_at_risk_integral(), sum, 1e-3 * sum);
}

World world_of_one_fault(double mean_life) {
  World world;
  world.inventory.job_hosts = 4;
  world.inventory.gpus_per_host = world.hardware.gpus_per_host = 2;
  FaultKind kind;
  kind.name = "fault";
  kind.component = ComponentKind::gpu;
  kind.life = Law::exponential(mean_life);
  world.faults = {kind};
  return world;
}

TEST(LostWork, HasTheMeanZeroAndTheVarianceOfItsStrikes) {
  constexpr double kMeanLife = 4000;  // of each of eight GPUs: a strike every 500 s
  constexpr std::uint32_t kRuns = 4000;
  constexpr double kAllowedErrors = 4.5;
  const World world = world_of_one_fault(kMeanLife);
  double sum = 0, squares = 0, excess = 0, excess_squares = 0;
  for (std::uint32_t run = 0; run < kRuns; ++run) {
    const Seed seed{.study = 7, .replica = run};
    FaultArrivals arrivals(world, seed);
    Stream whims(seed, stream_name("whims"));
    LostWork lost(world);
    ProgressLog log;
    Gang gang(log);
    double taken = 0;
    Time begins = kStart;
    const Time end = kStart + 5000s;
    while (true) {
      const Time strikes = kStart + from_seconds(arrivals.next_time(FaultClock::always));
      if (gang.state() == Gang::State::down && begins < std::min(strikes, end)) {
        // A job that lost much takes checkpoints more often. One that lost little is slow to start again.
        gang.begin(begins, 0, kSecond, to_storage(taken > 5 ? 20s : 60s, 1s, 10s));
        continue;
      }
      if (strikes >= end) break;
      const double at_risk = gang.work_at_risk(strikes);
      lost.struck(arrivals.take(FaultClock::always), at_risk);
      taken += at_risk * at_risk;
      if (gang.state() != Gang::State::down) gang.cut(strikes);
      begins = strikes + from_seconds((taken > 3 ? 10 : 100) * whims.uniform());
    }
    if (gang.state() != Gang::State::down) gang.cut(end);
    const double compensated = lost.compensated(gang.work_at_risk_integral());
    sum += compensated;
    squares += compensated * compensated;
    excess += compensated * compensated - taken;
    excess_squares += (compensated * compensated - taken) * (compensated * compensated - taken);
  }
  EXPECT_LT(std::abs(sum / kRuns), kAllowedErrors * std::sqrt(squares / kRuns / kRuns)) << sum / kRuns;
  EXPECT_GT(squares / kRuns, 0.5) << "strikes take work";
  EXPECT_LT(std::abs(excess / kRuns), kAllowedErrors * std::sqrt(excess_squares / kRuns / kRuns))
      << excess / kRuns;
}

TEST(LostWork, CountsStrikesOnTheJobThatComeAtOneRateAlone) {
  World world = world_of_one_fault(1000);
  const Strike on_job{FaultKindId{0}, {ComponentKind::gpu, 7}},
      beside{FaultKindId{0}, {ComponentKind::gpu, 8}};
  LostWork lost(world);
  lost.struck(on_job, 0.25);
  lost.struck(beside, 0.25);
  EXPECT_DOUBLE_EQ(lost.compensated(10), 0.25 - 8 / 1000.0 * 10);
  lost.reset();
  EXPECT_DOUBLE_EQ(lost.compensated(0), 0);
  for (const auto& change : {+[](FaultKind& kind) { kind.effect = Effect::slow; },
                             +[](FaultKind& kind) { kind.life = Law::weibull_with_mean(1000, 0.7); },
                             +[](FaultKind& kind) { kind.profile.daily.amplitude = 0.5; },
                             +[](FaultKind& kind) {
                               kind.trace = {{kStart + 3s, 0}};
                             },
                             +[](FaultKind& kind) { kind.clock = FaultClock::start; }}) {
    World other = world;
    change(other.faults[0]);
    LostWork none(other);
    none.struck(on_job, 0.25);
    EXPECT_EQ(none.compensated(10), 0);
  }
}

}  // namespace
}  // namespace gauntlet
