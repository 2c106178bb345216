#include "core/infinity.hpp"
#include "study/uncertainty/finish_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

using testing::ElementsAre;

using Times = std::vector<double>;

TEST(UncertainFinish, DrawsMoveEveryRun) {
  const UncertainFinish all =
      moved(Times{10, 20, 30, 40}, {.moved_by = {0, 5}, .more_never = {0, 0.5}}, {.time = 2, .never = 1});
  EXPECT_EQ(all.runs, (Times{10, 20, 30, 40, kInfinity, kInfinity, 40, 50}));
  const UncertainFinish::Share share = all.share_by(40);
  EXPECT_DOUBLE_EQ(share.value, 5 / 8.0);
  // Of the draws 1 and 1/4: variance 9/32; of the runs 1/2, 1/2, 1, 1/2: variance 1/16.
  EXPECT_DOUBLE_EQ(share.variance, 9 / 32.0 / 2 + 1 / 16.0 / 4);
}

TEST(UncertainFinish, RunsThatNeverFinishStayWhereTheyAre) {
  const Times finish = {10, kInfinity, 30, kInfinity};
  const FinishEffects effects{.moved_by = {1, 1, 1, 1}, .more_never = {0, 0.25, -0.25, -1}};
  EXPECT_EQ(moved(finish, effects, {}).runs,
            (Times{11, kInfinity, 31, kInfinity, kInfinity, kInfinity, 31, kInfinity,  //
                   11, 11, 31, kInfinity, 11, 11, 31, 31}));
  for (const double at : moved(Times{10, 20}, effects, {.time = 1, .never = 0}).runs) EXPECT_LE(at, 21);
  // None finishes, so nothing is known of those that a draw would let finish.
  EXPECT_EQ(moved(Times{kInfinity}, effects, {}).share_by(1e9).value, 0);
}

TEST(UncertainFinish, SmallEffectsAddUpOverTheDraws) {
  const std::size_t draws = 40;
  const UncertainFinish all =
      moved(Times(10, 5.0), {.moved_by = Times(draws, 0.0), .more_never = Times(draws, 0.02)}, {});
  EXPECT_NEAR(all.share_by(5).value, 0.98, 0.5 / 400);  // a fifth of a run a draw: eight runs of 400
}

TEST(UncertainFinish, WhatIsOpenOfGivingUpIsOpenOfTheShare) {
  FinishEffects effects{.moved_by = {0, 0}, .more_never = {0, 0}};
  const Times finish = {10, 20, kInfinity, kInfinity};
  const double before = moved(finish, effects, {}).share_by(15).variance;
  effects.more_never_error = 0.2;  // half of those that finish are done by 15 s
  EXPECT_DOUBLE_EQ(moved(finish, effects, {}).share_by(15).variance, before + 0.1 * 0.1);
}

TEST(FinishEffects, AreDifferencesToReplicasUnderTheSameFaults) {
  // Draw 0 is held against the first two as given, draw 1 against the other two.
  const Times given = {10, 20, 30, kInfinity};
  const FinishEffects effects = finish_effects(given, std::vector<Times>{{13, 23}, {33, kInfinity}});
  EXPECT_THAT(effects.moved_by, ElementsAre(3, 3));
  EXPECT_THAT(effects.more_never, ElementsAre(0, 0));
  EXPECT_EQ(effects.never, 1 / 4.0);
  EXPECT_EQ(effects.more_never_error, 0);

  // Each draw loses one of its two: by chance, for all that is known of it, 1/2 +- 1/2; of the mean, by sqrt(2) less.
  const FinishEffects more =
      finish_effects(Times{10, 20, 30, 40}, std::vector<Times>{{10, kInfinity}, {kInfinity, 40}});
  EXPECT_THAT(more.more_never, ElementsAre(0.5, 0.5));
  EXPECT_DOUBLE_EQ(more.more_never_error, 0.5 / std::sqrt(2));
}

/// A draw whose steps take a tenth longer moves a plan of 50 s without faults by 5 s, whatever the plan loses to faults.
TEST(FinishEffects, ALongerStepMovesAPlanByItsOwnTimeWithoutFaults) {
  const FinishEffects effects = finish_effects(Times{110, 130, 120, 140},
                                               std::vector<Times>{{120, 140}, {122, 142}}, Times{10, 0}, 100);
  EXPECT_THAT(effects.longer, ElementsAre(0.1, 0));
  EXPECT_THAT(effects.moved_by, ElementsAre(0, 2));
  EXPECT_EQ(moved(Times{60, 70}, effects, {.healthy = 50, .time = 3, .never = 1}).runs,
            (Times{65, 75, 66, 76}));
}

TEST(FinishEffects, ADrawNoneOfWhoseRunsFinishesInBothIsMovedAsTheOthers) {
  const FinishEffects apart = finish_effects(Times{10, kInfinity, 10, kInfinity},
                                             std::vector<Times>{{14, kInfinity}, {kInfinity, 20}});
  EXPECT_THAT(apart.moved_by, ElementsAre(4, 4));
}

}  // namespace
}  // namespace gauntlet
