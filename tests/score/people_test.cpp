// Which stops people had to deal with, and what wrong evictions cost. In all runs the job trains from 60 s on, 10 s a step,
// and host 1 crashes at 460 s.
#include "score/wrong_evictions.hpp"
#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

HandMadeRun crashed_job() {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 1);
  return run;
}

// --- handled without a person -----------------------------------------------------------------------------------------------

TEST(Handled, IsAStopThatIsOverWithoutAPerson) {
  HandMadeRun run = crashed_job();
  run.stops(480s);
  run.replaces(490s, 1, 500s, 4);
  run.starts(500s, 560s, 40);
  run.trains(560s, 660s, {.from_step = 40});
  run.strikes(660s, kHang, 2);
  run.see(900s, Noticed{JobId{0}});
  run.stops(900s);
  run.starts(905s, 960s, 40);
  run.trains(960s, 1960s, {.from_step = 40});
  run.strikes(1960s, kCrash, 3);
  run.stops(1970s);
  const OrderId ask = run.order(1975s, Ask{JobId{0}});
  run.answer(2000s, ask, Answered{HostId{3}, true});
  run.starts(2000s, 2060s, 140);
  run.trains(2060s, 2160s, {.from_step = 140});
  const Figures figures = run.finishes(2160s);
  ASSERT_EQ(figures.incidents.size(), 3u);
  EXPECT_TRUE(figures.incidents[0].handled);
  EXPECT_FALSE(figures.incidents[0].noticed);
  EXPECT_TRUE(figures.incidents[1].noticed);
  EXPECT_FALSE(figures.incidents[1].handled);
  EXPECT_EQ(figures.incidents[2].asked, 1u);
  EXPECT_FALSE(figures.incidents[2].handled);
  for (const Incident& incident : figures.incidents) EXPECT_TRUE(incident.unplanned);

  const FaultScore& crash = figures.fault_scores[kCrash.value];
  EXPECT_EQ(crash.incidents, 2u);
  EXPECT_EQ(crash.handled, 1u);
  EXPECT_EQ(crash.handled_time, 30s);  // 20 s until the stop, 10 s until the eviction and the spare
  const FaultScore& hang = figures.fault_scores[kHang.value];
  EXPECT_EQ(hang.incidents, 1u);
  EXPECT_EQ(hang.handled, 0u);
  EXPECT_EQ(hang.handled_time, 0s);
}

// What an operator evicts says nothing of the policies, and its stop is one that was planned.
TEST(Handled, AnOperatorsEvictionIsNoDecisionOfThePolicies) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.see(460s, OperatorActed{.job = JobId{0}, .what = OperatorAction::evict, .host = HostId{1}});
  run.order(460s, Stop{JobId{0}, StopReason::planned});
  run.replaces(490s, 1, 500s, 4);
  run.starts(500s, 560s, 40);
  run.trains(560s, 660s, {.from_step = 40});
  const Figures figures = run.finishes(660s);
  EXPECT_EQ(figures.evictions_right, 0u);
  EXPECT_EQ(figures.evictions_wrong, 0u);
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(figures.planned_stops, 1u);
  EXPECT_EQ(figures.interruptions, 1u);
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].cause, kCausePlanned);
}

TEST(Handled, IsNeitherWhatNobodySawNorWhatEndedTheRun) {
  EXPECT_FALSE(crashed_job().finishes(500s).incidents.at(0).handled);
  HandMadeRun waits = crashed_job();
  waits.stops(480s);
  EXPECT_TRUE(HandMadeRun(waits).finishes(5000s, Ending::time_over).incidents.at(0).handled);
  EXPECT_FALSE(waits.finishes(5000s, Ending::gave_up).incidents.at(0).handled);
}

TEST(Handled, AreStopsByFaultsAlone) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.stops(460s);  // a false alarm
  run.starts(465s, 500s, 40);
  run.trains(500s, 600s, {.from_step = 40});
  const Figures figures = run.finishes(600s);
  EXPECT_FALSE(figures.incidents.at(0).unplanned);
  EXPECT_FALSE(figures.incidents.at(0).handled);
}

// --- what wrong evictions cost ------------------------------------------------------------------------------------------------

TEST(WrongEvictions, CostNothingWhereSparesComeAtOnce) {
  HandMadeRun run = crashed_job();
  run.stops(465s);
  run.replaces(470s, 1, 470s, 4);
  run.replaces(470s, 2, 470s, 5);
  run.starts(470s, 500s, 40);
  run.trains(500s, 600s, {.from_step = 40});
  const Figures figures = run.finishes(600s);
  EXPECT_EQ(figures.evictions_wrong, 1u);
  EXPECT_EQ(figures.fault_scores[kCrash.value].evictions_wrong, 1u);
  EXPECT_EQ(figures.wrong_evictions, 0s);
}

// One host would have done at 480 s; the second one came at 880 s.
TEST(WrongEvictions, CostTheWaitForSparesThatTheyAloneNeed) {
  HandMadeRun run = crashed_job();
  run.stops(465s);
  run.carried_out(470s, Evict{HostId{1}});
  run.carried_out(470s, Evict{HostId{2}});
  const OrderId first = run.order(470s, Acquire{JobId{0}});
  const OrderId second = run.order(470s, Acquire{JobId{0}});
  run.answer(480s, first, Granted{HostId{4}});
  run.answer(880s, second, Granted{HostId{5}});
  run.starts(880s, 940s, 40);
  run.trains(940s, 1040s, {.from_step = 40});
  const Figures figures = run.finishes(1040s);
  EXPECT_EQ(figures.wrong_evictions, 400s);
  EXPECT_EQ(figures.incidents.at(0).wrong_evictions, 400s);
  EXPECT_EQ(figures.fault_scores[kCrash.value].wrong_evictions, 400s);
}

// Two hosts have crashed, and the first two spares are for them. From 500 s on the job waits because of a healthy host.
TEST(WrongEvictions, AreNotChargedForSparesThatBrokenHostsNeed) {
  HandMadeRun run = crashed_job();
  run.strikes(461s, kCrash, 2);
  run.stops(465s);
  for (const std::uint32_t host : {1U, 2U, 3U}) run.carried_out(470s, Evict{HostId{host}});
  const OrderId first = run.order(470s, Acquire{JobId{0}});
  const OrderId second = run.order(470s, Acquire{JobId{0}});
  const OrderId third = run.order(470s, Acquire{JobId{0}});
  run.answer(480s, first, Granted{HostId{4}});
  run.answer(500s, second, Granted{HostId{5}});
  run.ends(860s, kCrash, 1);
  run.see(870s, HostReturned{HostId{1}});
  run.carried_out(870s, Readmit{HostId{1}});
  run.answer(880s, third, Granted{HostId{1}});
  run.starts(880s, 940s, 40);
  run.trains(940s, 1040s, {.from_step = 40});
  const Figures figures = run.finishes(1040s);
  EXPECT_EQ(figures.evictions_right, 2u);
  EXPECT_EQ(figures.evictions_wrong, 1u);
  EXPECT_EQ(figures.wrong_evictions, 380s);
}

// Host 2 goes in place of host 1, the job starts on it again and stops at once: 470 s to 530 s were in vain.
TEST(WrongEvictions, CostAnAttemptThatTheCulpritSpoils) {
  HandMadeRun run = crashed_job();
  run.stops(465s);
  run.replaces(470s, 2, 475s, 4);
  run.starts(475s, 530s, 40);
  run.returns(530s, kCrash, 1);
  run.stops(540s);
  run.replaces(545s, 1, 600s, 5);
  run.starts(600s, 660s, 40);
  run.trains(660s, 760s, {.from_step = 40});
  const Figures figures = run.finishes(760s);
  EXPECT_EQ(figures.wrong_evictions, 60s);
}

// The fault was gone with the restart: evicting a host for it was wrong, and cost nothing but the wait.
TEST(WrongEvictions, CostTheWaitAloneWhereTheFaultDoesNotReturn) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kHang, 1);
  run.stops(465s);
  run.replaces(470s, 1, 490s, 4);
  run.ends(490s, kHang, 1);
  run.starts(490s, 550s, 40);
  run.trains(550s, 650s, {.from_step = 40});
  EXPECT_EQ(run.finishes(650s).wrong_evictions, 20s);
}

TEST(WrongEvictions, CostAllOfAFalseAlarm) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.stops(460s);
  run.replaces(465s, 2, 465s, 4);
  run.starts(465s, 525s, 30);
  run.trains(525s, 725s, {.from_step = 30});  // 10 steps again
  const Figures figures = run.finishes(725s);
  EXPECT_EQ(figures.wrong_evictions, 65s + 100s);
}

}  // namespace
}  // namespace gauntlet
