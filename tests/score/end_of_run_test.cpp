// Where the end of the run finds the job. In all runs it trains from 60 s on, 10 s a step.
#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

// 50 steps, 2 s each lost to the slow host, and half of the next: 5 of its 6 s would have done.
TEST(TheEnd, WithinAStepCountsItAsFarAsItGot) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(60s, kSlow, 0);
  run.trains(60s, 666s, {.step = 12s});
  const Figures figures = run.finishes(666s, Ending::time_over);
  EXPECT_EQ(figures.ending, Ending::time_over);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60}, {"effective", 505}, {"slowdown", 101}}));
  EXPECT_EQ(figures.steps, 50);
  EXPECT_EQ(figures.iteration_time, 600s);
}

TEST(TheEnd, WithinALongStepOfFewerReplicasIsNobodysSlowness) {
  // Parts of a step of days are rounded by themselves, and may come to a nanosecond more than what passed of it.
  for (int k = 0; k < 200; ++k) {
    HandMadeRun run;
    run.started(60s);
    const Duration step = 2'000'000s + 7'777'777ns, end = 953'068s + k * 1'234'567'891ns;
    run.trains(60s, end, {.step = step, .for_fewer = step - kStep});
    const Figures figures = run.finishes(end, Ending::time_over);
    for (std::size_t cause = 0; cause < figures.lost.size(); ++cause)
      EXPECT_EQ(at(figures.lost[cause], Phase::slowdown),
                cause == kCauseFewer.value ? at(figures.phases, Phase::slowdown) : 0s)
          << "cause " << cause << ", end " << end.count() << " ns";
  }
}

TEST(TheEnd, WithinAStepBelowTheMarkIsRecomputing) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kHang, 1);
  run.stops(460s);
  run.starts(465s, 500s, 0);
  run.trains(500s, 527s);
  const Figures figures = run.finishes(527s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 95}, {"effective", 400}, {"diagnosing", 5}, {"recomputing", 27}}));
  EXPECT_EQ(figures.steps, 40);
  EXPECT_EQ(figures.incidents.at(0).closed, kStart + 527s);
}

TEST(TheEnd, WithinAGapClosesTheIncident) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  run.stops(465s);
  run.order(470s, Evict{HostId{1}});
  run.order(470s, Acquire{JobId{0}});
  const Figures figures = run.finishes(1000s);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60},
                                      {"effective", 400},
                                      {"undetected", 5},
                                      {"diagnosing", 5},
                                      {"waiting_for_spare", 530}}));
  EXPECT_EQ(figures.incidents.at(0).closed, kStart + 1000s);
}

TEST(TheEnd, WithinACheckpointOrAPauseCountsWhatPassedOfIt) {
  HandMadeRun stalled;
  stalled.started(60s);
  stalled.trains(60s, 164s, {.cadence = {.first = 10, .every = 10, .stall = 6s}});
  EXPECT_EQ(phases(stalled.finishes(164s)),
            (Seconds{{"restarting", 60}, {"effective", 100}, {"checkpoint_stall", 4}}));

  HandMadeRun paused;
  paused.started(60s);
  paused.trains(60s, 165s);
  paused.strikes(165s, kBlip, 1);
  paused.pauses(165s, 180s);
  EXPECT_EQ(phases(paused.finishes(180s)),
            (Seconds{{"restarting", 60}, {"effective", 105}, {"slowdown", 15}}));
}

TEST(TheEnd, BeforeTheFirstStepLeavesTheStart) {
  HandMadeRun run;
  const Figures figures = run.finishes(40s);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 40}}));
  EXPECT_EQ(figures.steps, 0);
  EXPECT_TRUE(figures.incidents.empty());
}

// In every loop over the logs, so that a long run is left within a moment also while it is scored.
TEST(TheEnd, IsNotAwaitedWhereTheScoreIsToStop) {
  HandMadeRun run;
  run.started(60s);
  constexpr int kMany = 5000;
  for (int i = 0; i < kMany; ++i)
    run.see(61s,
            Seen{.watch = WatchId{1}, .who = {}, .edge = Edge::sample, .sensed = {}, .value = 0, .more = 0});
  std::atomic<bool> stop = false;
  EXPECT_TRUE(run.scores(&stop));
  stop = true;
  EXPECT_FALSE(run.scores(&stop));

  HandMadeRun of_faults;
  of_faults.started(60s);
  for (int i = 0; i < kMany; ++i) of_faults.strikes(61s, kWarning, 1);
  EXPECT_FALSE(of_faults.scores(&stop));
}

// A record that was cut short ends with its last observation.
TEST(TheEnd, IsTheLastObservationWhereTheRecordIsCutShort) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  run.stops(465s);
  EXPECT_EQ(run.scored().wall, 470s);
}

}  // namespace
}  // namespace gauntlet
