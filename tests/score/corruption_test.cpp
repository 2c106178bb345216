// Steps after a silent corruption: effective, and reported once more. A host corrupts the numbers from 505 s on, when 44
// steps are complete and the next one is under way.
#include "tests/score/hand_made_run.hpp"

namespace gauntlet {
namespace {

/// Corruption at 505 s on host 1, a crash of host 2 at 1,060 s after 100 steps. The job starts again from `loaded`, with
/// or without host 1, and runs to 10 steps beyond the mark. Host 1 is repaired long after that.
Figures roll_back(std::int64_t loaded, bool evicts_the_culprit) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 1060s);
  run.strikes(505s, kCorrupt, 1);
  run.strikes(1060s, kCrash, 2);
  run.stops(1060s);
  run.replaces(1065s, 2, 1065s, 4);
  if (evicts_the_culprit) run.replaces(1065s, 1, 1065s, 5);
  run.starts(1065s, 1100s, loaded);
  const Duration regained = 1100s + (100 - loaded) * kStep;
  run.trains(1100s, regained + 100s, {.from_step = loaded});
  return run.finishes(regained + 100s);
}

TEST(Corruption, CountsTheStepUnderWayAndAllAfterIt) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 1060s);  // 100 steps
  run.strikes(505s, kCorrupt, 1);
  const Figures figures = run.finishes(1060s);
  EXPECT_EQ(phases(figures), (Seconds{{"restarting", 60}, {"effective", 1000}}));
  EXPECT_EQ(figures.effective_corrupt, 56 * kStep);
  EXPECT_EQ(figures.interruptions, 0u);
  EXPECT_EQ(figures.false_alarms, 0u);
}

TEST(Corruption, IsSetRightByACheckpointFromBeforeItWithoutTheCulprit) {
  EXPECT_EQ(roll_back(40, true).effective_corrupt,
            56 * kStep);  // those before the rollback; 40 to 100 are redone
  EXPECT_EQ(roll_back(44, true).effective_corrupt, 56 * kStep);  // the last good one
}

TEST(Corruption, StaysInACheckpointFromAfterIt) {
  EXPECT_EQ(roll_back(45, true).effective_corrupt, (56 + 10) * kStep);
}

TEST(Corruption, GoesOnWhileTheCulpritCarriesTheJob) {
  EXPECT_EQ(roll_back(40, false).effective_corrupt, (56 + 10) * kStep);
}

TEST(Corruption, ThatHealedStaysInWhatWasComputedSince) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 1060s);
  run.strikes(505s, kCorrupt, 1);
  run.ends(520s, kCorrupt, 1);
  EXPECT_EQ(run.finishes(1060s).effective_corrupt, 56 * kStep);
}

// It begins and ends in the 45th step, which a pause cuts in two: no start has gone back behind it.
TEST(Corruption, ThatHealedIsNotSetRightByAPause) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 507s);
  run.strikes(505s, kCorrupt, 1);
  run.ends(506s, kCorrupt, 1);
  run.strikes(507s, kBlip, 2);
  run.pauses(507s, 520s);
  run.ends(520s, kBlip, 2);
  run.goes_on(520s, 1073s);
  EXPECT_EQ(run.finishes(1073s).effective_corrupt, 56 * kStep);
}

TEST(Corruption, OfAJobThatIsDownDoesNoHarmWhenTheCulpritIsReplaced) {
  HandMadeRun run;
  run.started(60s);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 2);
  run.stops(460s);
  run.strikes(462s, kCorrupt, 1);
  run.replaces(465s, 1, 465s, 4);
  run.replaces(465s, 2, 465s, 5);
  run.starts(465s, 500s, 40);
  run.trains(500s, 600s, {.from_step = 40});
  EXPECT_EQ(run.finishes(600s).effective_corrupt, 0s);
}

TEST(Corruption, ComesWithAHostThatJoinsTheJob) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(100s, kCorrupt, 4, /*on_job=*/false);
  run.trains(60s, 460s);
  run.strikes(460s, kCrash, 2);
  run.stops(460s);
  run.replaces(465s, 2, 465s, 4);
  run.starts(465s, 500s, 40);
  run.trains(500s, 600s, {.from_step = 40});
  EXPECT_EQ(run.finishes(600s).effective_corrupt, 10 * kStep);
}

TEST(Corruption, OfAHostThatStandsByIsNone) {
  HandMadeRun run;
  run.started(60s);
  run.strikes(100s, kCorrupt, 4, /*on_job=*/false);
  run.trains(60s, 460s);
  EXPECT_EQ(run.finishes(460s).effective_corrupt, 0s);
}

}  // namespace
}  // namespace gauntlet
