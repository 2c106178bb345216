// What happened in equal parts of the wall time, in runs made by hand, and in the parts themselves.
#include "score/over_time.hpp"

#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

/// One crash, found by a probe, whose host is replaced: the run of PhasesTest that is detected and recovered.
HandMadeRun with_a_crash() {
  HandMadeRun run;
  run.started(60s);
  // 60 steps to 660 s, a checkpoint to 666 s, then 29 steps to 956 s and 9 s of the next one.
  run.trains(60s, 965s, {.cadence = {.first = 60, .every = 60, .stall = 6s}});
  run.strikes(965s, kCrash, 2);
  run.stops(980s);
  const OrderId probe = run.order(985s, Probe{.probe = ProbeId{0}, .who = {}, .report = {}});
  run.answer(1105s, probe, Probed{component(HostId{2}), Verdict::faulty, 1});
  run.replaces(1105s, 2, 1110s, 4);
  run.starts(1110s, 1180s, 60);
  run.trains(1180s, 1500s, {.from_step = 60});  // 29 lost steps by 1,470 s, and 3 new ones
  run.finishes(1500s);
  return run;
}

TEST(OverTime, PartsOfARunWithACrash) {
  const Figures figures = with_a_crash().scored_over_time(500s);
  ASSERT_EQ(figures.over_time.size(), 3u);
  EXPECT_EQ(named(figures.over_time[0].phases), (Seconds{{"restarting", 60}, {"effective", 440}}));
  EXPECT_EQ(named(figures.over_time[1].phases),
            (Seconds{{"effective", 450}, {"checkpoint_stall", 6}, {"undetected", 24}, {"diagnosing", 20}}));
  EXPECT_EQ(named(figures.over_time[2].phases), (Seconds{{"diagnosing", 105},
                                                         {"waiting_for_spare", 5},
                                                         {"restarting", 70},
                                                         {"recomputing", 290},
                                                         {"effective", 30}}));
  EXPECT_EQ(figures.over_time[0].steps, 44);
  EXPECT_EQ(figures.over_time[1].steps, 45);
  EXPECT_EQ(figures.over_time[2].steps, 3);
}

TEST(OverTime, AStepUnderWayFillsThePartThatItBeganIn) {
  const Figures figures = with_a_crash().scored_over_time(400s);
  ASSERT_EQ(figures.over_time.size(), 4u) << "the last one is shorter";
  // At 800 s 4 s of a step are done, which counts as complete in the next part.
  EXPECT_EQ(named(figures.over_time[1].phases), (Seconds{{"effective", 394}, {"checkpoint_stall", 6}}));
  EXPECT_EQ(figures.over_time[1].steps, 39);
  EXPECT_EQ(named(figures.over_time[2].phases), (Seconds{{"effective", 156},
                                                         {"undetected", 24},
                                                         {"diagnosing", 125},
                                                         {"waiting_for_spare", 5},
                                                         {"restarting", 70},
                                                         {"recomputing", 20}}));
  EXPECT_EQ(figures.over_time[2].steps, 16);
  EXPECT_EQ(named(figures.over_time[3].phases), (Seconds{{"recomputing", 270}, {"effective", 30}}));
  EXPECT_EQ(figures.over_time[3].steps, 3);
}

TEST(OverTime, OnePartIsAllOfTheRun) {
  for (const Duration bucket : {Duration(1500s), Duration(1501s), Duration(kForever)}) {
    const Figures figures = with_a_crash().scored_over_time(bucket);
    ASSERT_EQ(figures.over_time.size(), 1u);
    EXPECT_EQ(figures.over_time[0].phases, figures.phases);
    EXPECT_EQ(figures.over_time[0].steps, figures.steps);
  }
}

TEST(OverTime, NobodyWhoDoesNotAskGetsParts) {
  EXPECT_TRUE(with_a_crash().scored().over_time.empty());
  EXPECT_TRUE(HandMadeRun().scored_over_time(1s).over_time.empty()) << "no time has passed";
}

TEST(OverTime, ChargesAreSplitWhereAPartEnds) {
  std::vector<TimeBucket> buckets;
  OverTime over_time(10s, buckets);
  over_time.charge(Phase::restarting, 10s, {});
  EXPECT_EQ(buckets.size(), 1u) << "the second part has not begun";
  over_time.charge(Phase::effective, 25s, {});
  over_time.charge(Phase::slowdown, -1ns, {});  // what rounding took too much
  over_time.completed(1, kStart + 10s);
  over_time.completed(2, kStart + 10s + 1ns);
  over_time.completed(4, kStart + 35s);
  ASSERT_EQ(buckets.size(), 4u);
  EXPECT_EQ(named(buckets[0].phases), (Seconds{{"restarting", 10}}));
  EXPECT_EQ(named(buckets[1].phases), (Seconds{{"effective", 10}}));
  EXPECT_EQ(named(buckets[2].phases), (Seconds{{"effective", 10}}));
  EXPECT_EQ(named(buckets[3].phases), (Seconds{{"effective", 5}, {"slowdown", -1e-9}}));
  EXPECT_EQ(buckets[0].steps, 1);
  EXPECT_EQ(buckets[1].steps, 2);
  EXPECT_EQ(buckets[3].steps, 4);
  EXPECT_EQ(over_time.next_boundary(kStart), kStart + 10s);
  EXPECT_EQ(over_time.next_boundary(kStart + 10s), kStart + 20s);
}

}  // namespace
}  // namespace gauntlet
