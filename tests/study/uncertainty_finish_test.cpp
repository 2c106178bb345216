#include "study/uncertainty_finish.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kNeverDone = std::numeric_limits<double>::infinity();
using Times = std::vector<double>;

TEST(UncertainFinish, DrawsMoveEveryRun) {
  const UncertainFinish all =
      moved(Times{10, 20, 30, 40}, {.moved_by = {0, 5}, .more_never = {0, 0.5}}, {.time = 2, .never = 1});
  EXPECT_EQ(all.runs, (Times{10, 20, 30, 40, kNeverDone, kNeverDone, 40, 50}));
  const UncertainFinish::Share share = all.share_by(40);
  EXPECT_DOUBLE_EQ(share.value, 5 / 8.0);
  // Of the draws 1 and 1/4: variance 9/32; of the runs 1/2, 1/2, 1, 1/2: variance 1/16.
  EXPECT_DOUBLE_EQ(share.variance, 9 / 32.0 / 2 + 1 / 16.0 / 4);
}

TEST(UncertainFinish, RunsThatNeverFinishStayWhereTheyAre) {
  const Times finish = {10, kNeverDone, 30, kNeverDone};
  const FinishEffects effects{.moved_by = {1, 1, 1, 1}, .more_never = {0, 0.25, -0.25, -1}};
  EXPECT_EQ(moved(finish, effects, {}).runs,
            (Times{11, kNeverDone, 31, kNeverDone, kNeverDone, kNeverDone, 31, kNeverDone,  //
                   11, 11, 31, kNeverDone, 11, 11, 31, 31}));
  for (const double at : moved(Times{10, 20}, effects, {.time = 1, .never = 0}).runs) EXPECT_LE(at, 21);
  // None finishes, so nothing is known of those that a draw would let finish.
  EXPECT_EQ(moved(Times{kNeverDone}, effects, {}).share_by(1e9).value, 0);
}

TEST(UncertainFinish, SmallEffectsAddUpOverTheDraws) {
  const std::size_t draws = 40;
  const UncertainFinish all =
      moved(Times(10, 5.0), {.moved_by = Times(draws, 0.0), .more_never = Times(draws, 0.02)}, {});
  EXPECT_NEAR(all.share_by(5).value, 0.98, 0.5 / 400);  // a fifth of a run a draw: eight runs of 400
}

TEST(UncertainFinish, WhatIsOpenOfGivingUpIsOpenOfTheShare) {
  FinishEffects effects{.moved_by = {0, 0}, .more_never = {0, 0}};
  const Times finish = {10, 20, kNeverDone, kNeverDone};
  const double before = moved(finish, effects, {}).share_by(15).variance;
  effects.more_never_error = 0.2;  // half of those that finish are done by 15 s
  EXPECT_DOUBLE_EQ(moved(finish, effects, {}).share_by(15).variance, before + 0.1 * 0.1);
}

TEST(FinishEffects, AreDifferencesToTheSameReplicas) {
  // Three of eight never finish, in the first four two do not: the draws are compared with those.
  const Times given = {kNeverDone, kNeverDone, 30, 40, 10, 10, 10, kNeverDone};
  const std::vector<Times> same(5, {kNeverDone, kNeverDone, 33, 43});
  const FinishEffects effects = finish_effects(given, same);
  EXPECT_THAT(effects.more_never, testing::Each(0));
  EXPECT_THAT(effects.moved_by, testing::Each(3));
  EXPECT_EQ(effects.never, 3 / 8.0);
  EXPECT_EQ(effects.more_never_error, 0);
  EXPECT_THAT(effects.notes, IsEmpty());

  const std::vector<Times> worse(5, {kNeverDone, kNeverDone, kNeverDone, 43});
  const FinishEffects more = finish_effects(given, worse);
  EXPECT_THAT(more.more_never, testing::Each(0.25));
  EXPECT_DOUBLE_EQ(more.more_never_error, 0.25);  // of 0, 0, 1, 0 over four replicas
  EXPECT_THAT(more.notes,
              ElementsAre(HasSubstr("+25.0 percentage points on average (95% interval -54.6 to +104.6)")));
}

TEST(FinishEffects, SayWhatTheirRunsCannotTell) {
  // None of the first two gives up, though others do.
  const FinishEffects unseen = finish_effects(Times{10, 20, kNeverDone, 40}, std::vector<Times>(3, {11, 21}));
  EXPECT_THAT(unseen.notes, ElementsAre(HasSubstr("25.0% of runs never finish, but none of the 2 that")));
  // One draw has no run that finishes in both: it is moved like the other.
  const FinishEffects apart =
      finish_effects(Times{10, kNeverDone}, std::vector<Times>{{14, kNeverDone}, {kNeverDone, 20}});
  EXPECT_THAT(apart.moved_by, ElementsAre(4, 4));
  EXPECT_THAT(apart.notes,
              testing::Contains(HasSubstr("with 1 of 2 draws of the parameters no run finishes")));
}

}  // namespace
}  // namespace gauntlet
