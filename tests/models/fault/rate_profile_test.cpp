#include "models/fault/rate_profile.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

TEST(RateProfile, FollowsTheCosineThroughTheDay) {
  RateProfile profile;
  profile.daily = {.amplitude = 0.75, .peak = 15h};
  for (int minute = 0; minute < 3 * 24 * 60; minute += 7) {
    const double hours = minute / 60.0;
    const double expected = 1 + 0.75 * std::cos(2 * std::numbers::pi * (hours - 15) / 24);
    EXPECT_NEAR(profile.of_day(kStart + std::chrono::minutes(minute)), expected, 1e-14);
  }
  EXPECT_EQ(profile.of_day(kStart + 15h), 1.75);
}

TEST(RateProfile, StretchesTimeByTheCurve) {
  RateProfile profile;
  EXPECT_EQ(profile.time_on_curve(17), 17);
  profile.curve = {{kStart + 10s, 4}, {kStart + 20s, 0}, {kStart + 30s, 0.5}};
  EXPECT_EQ(profile.time_on_curve(0), 0);
  EXPECT_EQ(profile.time_on_curve(10), 10);
  EXPECT_EQ(profile.time_on_curve(12), 10.5);
  EXPECT_EQ(profile.time_on_curve(49), 19.75);
  EXPECT_EQ(profile.time_on_curve(51), 32);  // 50 by 20 s, nothing until 30 s
  profile.curve = {{kStart, 2}, {kStart + 5s, 0}};
  EXPECT_EQ(profile.time_on_curve(9), 4.5);
  EXPECT_EQ(profile.time_on_curve(11), std::numeric_limits<double>::infinity());
}

TEST(RateProfile, IsFlatWhereNothingDiffers) {
  RateProfile profile;
  EXPECT_TRUE(profile.flat());
  profile = {.lemons = {.share = 0.5, .factor = 1}, .batches = {{0, 9, 1}}, .curve = {{kStart, 1.0}}};
  EXPECT_TRUE(profile.flat());
  for (const RateProfile& other :
       {RateProfile{.lemons = {.share = 0.5, .factor = 2}}, RateProfile{.batches = {{0, 9, 2}}},
        RateProfile{.daily = {.amplitude = 0.1}}, RateProfile{.curve = {{kStart + 1h, 2.0}}}})
    EXPECT_FALSE(other.flat());
}

}  // namespace
}  // namespace gauntlet
