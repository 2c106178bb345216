// Time that a job loses without a stop: slow hosts, and pauses that heal. In all runs the job trains from 60 s on,
// 10 s a step, so that 505 s finds 44 steps complete and 5 s in the next one.
#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

// From step 20 on a step takes 12 s: 2 s of it are lost to the slow host.
TEST(Slowdown, IsTheExcessOverTheHealthyRate) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 260s);
  run.strikes(255s, kSlow, 3);
  run.trains(260s, 500s, {.from_step = 20, .step = 12s});  // 20 steps
  run.ends(495s, kSlow, 3);
  run.trains(500s, 600s, {.from_step = 40});
  const Figures figures = run.finishes(600s);

  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60}, {"effective", 500}, {"slowdown", 40}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 40}}));
  EXPECT_TRUE(figures.incidents.empty());  // an episode
  EXPECT_EQ(figures.interruptions, 0u);
  EXPECT_EQ(figures.iteration_time, 540s);
}

TEST(Slowdown, BelowTheMarkIsRecomputing) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kHang, 1);
  run.stops(460s);
  run.strikes(470s, kSlow, 3);
  run.starts(465s, 500s, 0);
  run.trains(500s, 1220s, {.step = 12s});  // 40 old steps by 980 s, 20 new ones
  const Figures figures = run.finishes(1220s);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60 + 35},
                                      {"effective", 400 + 200},
                                      {"diagnosing", 5},
                                      {"recomputing", 480},
                                      {"slowdown", 40}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"hang", 5 + 35 + 480}, {"slow", 40}}));
}

// Host 4 was slow before it joins the job, in the moment in which training begins; host 2, which it replaces, is still
// being repaired.
TEST(Slowdown, IsChargedToTheHostsThatCarryTheJob) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(30s, kSlow, 4, /*on_job=*/false);
  run.trains(60s, 460s);
  run.strikes(460s, kBlip, 2);
  run.stops(460s);
  run.replaces(465s, 2, 500s, 4);
  run.starts(500s, 500s, 40);
  run.trains(500s, 620s, {.from_step = 40, .step = 12s});
  const Figures figures = run.finishes(620s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"blip", 40}, {"slow", 20}}));
}

// A gang waits for its slowest member: from 260 s on that is host 1, which was the lesser evil until it had grown.
TEST(Slowdown, IsChargedToTheFaultThatHasOutgrownAnother) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(55s, kSlow, 3);  // 1.2 times
  run.strikes(58s, kLeak, 1);  // 1.1 times
  run.trains(60s, 180s, {.step = 12s});
  run.grows(175s, kLeak, 1, 1.15);
  run.trains(180s, 240s, {.from_step = 10, .step = 12s});
  run.grows(235s, kLeak, 1, 1.5);
  run.trains(240s, 390s, {.from_step = 15, .step = 15s});
  run.ends(390s, kLeak, 1);
  run.trains(390s, 450s, {.from_step = 25, .step = 12s});
  const Figures figures = run.finishes(450s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 20 + 10 + 10}, {"leak", 50}}));
  EXPECT_EQ(figures.fault_scores[kLeak.value].met, 1u);  // it grew, it did not strike again
  EXPECT_EQ(figures.fault_scores[kLeak.value].missed_cost, 50s);
}

// From 255 s on two hosts are slow, 1.2 times each. Host 3 heals at 315 s, within step 24, and the pace stays.
TEST(Slowdown, IsChargedToTheFaultThatIsLeftOnceAnEqualOneHeals) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 260s);
  run.strikes(250s, kSlow, 3);
  run.strikes(255s, kLeak, 1);
  run.grows(256s, kLeak, 1, 1.2);
  run.trains(260s, 500s, {.from_step = 20, .step = 12s});  // 20 steps
  run.ends(315s, kSlow, 3);
  const Figures figures = run.finishes(500s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 5 * 2}, {"leak", 15 * 2}}));
  EXPECT_EQ(figures.fault_scores[kLeak.value].missed_cost, 30s);
}

// On real machines a step takes longer at once, and also where no fault acts.
TEST(Slowdown, OfARealStepIsThatOfTheFaultThatStruckWithinIt) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 260s);
  run.trains(260s, 275s, {.from_step = 20, .step = 15s});
  run.strikes(280s, kSlow, 3);
  run.trains(275s, 287s, {.from_step = 21, .step = 12s});
  run.ends(285s, kSlow, 3);
  run.strikes(290s, kCorrupt, 2);  // slows nothing
  run.trains(287s, 300s, {.from_step = 22, .step = 13s});
  const Figures figures = run.finishes(300s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 2}, {"unattributed", 5 + 3}}));
  EXPECT_EQ(figures.fault_scores[kSlow.value].missed_cost, 2s);
}

// Steps of a drill that nobody heard of, while a driver was away, are counted together.
TEST(Slowdown, OfRealStepsBeforeAFaultIsNotTheFaults) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(85s, kSlow, 3);
  run.trains(60s, 96s, {.step = 12s});  // the third step begins at 84 s
  const Figures figures = run.finishes(96s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 2}, {"unattributed", 4}}));
}

// The step that a pause cuts keeps its pace after it, though its fault has healed: 6 s of 12 s before and after.
TEST(Slowdown, OfAStepThatWasPausedIsThatOfItsBeginning) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 260s);
  run.strikes(255s, kSlow, 3);
  run.trains(260s, 266s, {.from_step = 20, .step = 12s});
  run.ends(264s, kSlow, 3);
  run.strikes(266s, kBlip, 2);
  run.pauses(266s, 296s);
  run.ends(296s, kBlip, 2);
  run.goes_on(296s, 302s);
  run.trains(302s, 402s, {.from_step = 21});
  const Figures figures = run.finishes(402s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 2}, {"blip", 30}}));
}

// A real pause is a long step.
TEST(Slowdown, OfARealStepWithAPauseIsThatOfThePause) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(55s, kSlow, 3);
  run.trains(60s, 72s, {.step = 12s});
  run.strikes(75s, kBlip, 1);
  run.ends(95s, kBlip, 1);
  run.trains(72s, 104s, {.from_step = 1, .step = 32s});
  const Figures figures = run.finishes(104s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 2}, {"blip", 22}}));
}

// The slow host is in repair, so that nothing is wrong with the job when it is stopped.
TEST(Slowdown, OfAHostInRepairExplainsNoStop) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(100s, kSlow, 2);
  run.trains(60s, 110s);
  run.trains(110s, 230s, {.from_step = 5, .step = 12s});  // 10 steps
  run.stops(230s);
  run.replaces(235s, 2, 235s, 4);
  run.starts(235s, 300s, 15);
  run.trains(300s, 500s, {.from_step = 15});
  run.stops(500s);
  const Figures figures = run.finishes(550s);
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"slow", 20 + 5 + 65}, {"false_alarm", 50}}));
  EXPECT_EQ(figures.false_alarms, 1u);
  EXPECT_EQ(figures.incidents.at(0).cause, cause_of(kSlow));
  EXPECT_EQ(figures.incidents.at(1).cause, kCauseFalseAlarm);
}

TEST(Pauses, ThatHealAreSlowdownAndTheStepGoesOn) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);  // 44 steps and 5 s
  run.strikes(505s, kBlip, 1);
  run.pauses(505s, 535s);
  run.ends(535s, kBlip, 1);
  run.goes_on(535s, 600s);  // its other 5 s, and 6 steps
  const Figures figures = run.finishes(600s);

  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60}, {"effective", 510}, {"slowdown", 30}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"blip", 30}}));
  EXPECT_EQ(figures.steps, 51);
  EXPECT_TRUE(figures.incidents.empty());
  EXPECT_EQ(figures.interruptions, 0u);
}

TEST(Pauses, BelowTheMarkAreRecomputing) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kHang, 1);
  run.stops(460s);
  run.starts(465s, 500s, 0);
  run.trains(500s, 605s);
  run.strikes(605s, kBlip, 1);
  run.pauses(605s, 635s);
  run.ends(635s, kBlip, 1);
  run.goes_on(635s, 930s);  // 40 steps by 930 s
  const Figures figures = run.finishes(930s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 95}, {"effective", 400}, {"diagnosing", 5}, {"recomputing", 430}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"hang", 470}}));
  EXPECT_EQ(figures.incidents.at(0).closed, kStart + 930s);
}

// It outlasts the ranks' patience, 300 s, and is a stop from then on: the pause itself was none.
TEST(Pauses, ThatBecomeStopsAreSlowdownUntilThen) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);
  run.strikes(505s, kBlip, 1);
  run.pauses(505s, 805s);
  run.escalates(805s, kBlip, 1);
  run.stops(825s);
  run.ends(900s, kBlip, 1);
  run.starts(830s, 930s, 44);
  run.trains(930s, 1030s, {.from_step = 44});
  const Figures figures = run.finishes(1030s);

  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60 + 100},
                                      {"effective", 540},
                                      {"slowdown", 300},
                                      {"undetected", 5 + 20},
                                      {"diagnosing", 5}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"blip", 430}}));
  EXPECT_EQ(figures.interruptions, 1u);
  EXPECT_EQ(figures.incidents.at(0).opened, kStart + 805s);
  EXPECT_EQ(figures.incidents.at(0).detection_latency, 20s);
}

// A detector loses patience before the ranks do. It was right that something was wrong: no false alarm.
TEST(Pauses, ThatADetectorCutsAreNoFalseAlarms) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 505s);
  run.strikes(505s, kBlip, 1);
  run.pauses(505s, 605s);
  run.stops(605s);
  const Figures figures = run.finishes(650s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 60}, {"effective", 440}, {"slowdown", 100}, {"diagnosing", 5 + 45}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"blip", 150}}));
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(figures.interruptions, 0u);
}

// The fault holds the ranks as soon as they are up. That is not a stop, and it is below the mark.
TEST(Pauses, ThatComeWithTheStartAreNoGaps) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kHang, 1);
  run.stops(460s);
  run.strikes(470s, kBlip, 2);
  run.starts(465s, 500s, 0);
  run.pauses(500s, 530s);
  run.ends(530s, kBlip, 2);
  run.trains(530s, 1000s);  // 40 old steps by 930 s, 7 new ones
  const Figures figures = run.finishes(1000s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 95}, {"effective", 470}, {"diagnosing", 5}, {"recomputing", 430}}));
  EXPECT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.false_alarms, 0u);
  EXPECT_EQ(figures.incidents.at(0).closed, kStart + 930s);
}

// No step was lost, so that the incident lasts until training goes on. The pause has a cause of its own.
TEST(Pauses, ThatComeWithAStartAreNoLossOfItsIncident) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kHang, 1);
  run.stops(460s);
  run.strikes(470s, kBlip, 2);
  run.starts(465s, 500s, 40);
  run.pauses(500s, 530s);
  run.ends(530s, kBlip, 2);
  run.trains(530s, 1000s, {.from_step = 40});
  const Figures figures = run.finishes(1000s);
  EXPECT_EQ(phases(figures),
            (Seconds{{"restarting", 95}, {"effective", 870}, {"diagnosing", 5}, {"slowdown", 30}}));
  ASSERT_EQ(figures.incidents.size(), 1u);
  EXPECT_EQ(figures.incidents[0].closed, kStart + 530s);
  EXPECT_EQ(named(figures.incidents[0].lost), (Seconds{{"diagnosing", 5}, {"restarting", 35}}));
}

// A pause that another fault turns into a stop at once takes no time, and hides no later one.
TEST(Pauses, OfNoTimeAreNothing) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kBlip, 2);
  run.pauses(460s, 460s);
  run.strikes(460s, kHang, 1);
  run.ends(462s, kBlip, 2);
  run.stops(470s);
  run.starts(475s, 500s, 40);
  run.trains(500s, 600s, {.from_step = 40});
  run.strikes(600s, kBlip, 2);
  run.pauses(600s, 650s);
  run.ends(650s, kBlip, 2);
  run.goes_on(650s, 700s);
  const Figures figures = run.finishes(700s);
  EXPECT_EQ(
      phases(figures),
      (Seconds{
          {"restarting", 85}, {"effective", 550}, {"undetected", 10}, {"diagnosing", 5}, {"slowdown", 50}}));
  EXPECT_EQ(causes(figures), (Seconds{{"start", 60}, {"hang", 40}, {"blip", 50}}));
  EXPECT_EQ(figures.incidents.size(), 1u);
}

}  // namespace
}  // namespace gauntlet
