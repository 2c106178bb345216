#include "policies/spares/retirement.hpp"

#include <gtest/gtest.h>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr RetirementConstants kThreeADay{.evictions = 3, .window = 24h};

/// Evicted at these hours: does it leave then?
bool leaves_after(Retirement::Rule rule, std::initializer_list<int> hours) {
  Retirement retirement(rule, kThreeADay);
  for (const int hour : hours) {
    retirement.evicted(HostId{1}, kStart + hour * 1h);
    retirement.evicted(HostId{2}, kStart + hour * 1h);  // another's do not count
  }
  return retirement.leaves(HostId{1});
}

TEST(Retirement, NeverIsNever) { EXPECT_FALSE(leaves_after(Retirement::Rule::never, {0, 0, 0, 0})); }

TEST(Retirement, AThresholdCountsWithinItsWindow) {
  EXPECT_FALSE(leaves_after(Retirement::Rule::threshold, {0, 1}));
  EXPECT_TRUE(leaves_after(Retirement::Rule::threshold, {0, 12, 24}));
  EXPECT_FALSE(leaves_after(Retirement::Rule::threshold, {0, 12, 25}));
  EXPECT_TRUE(leaves_after(Retirement::Rule::threshold, {0, 12, 25, 26}));
}

// 1 + 1/2 + 1/4 after three a day apart; 1.5 / 2 + 1 + 1 = 2.75 with the third of them twice.
TEST(Retirement, AScoreFades) {
  EXPECT_FALSE(leaves_after(Retirement::Rule::score, {0, 0}));
  EXPECT_TRUE(leaves_after(Retirement::Rule::score, {0, 1, 2}));
  EXPECT_FALSE(leaves_after(Retirement::Rule::score, {0, 24, 48}));
  EXPECT_TRUE(leaves_after(Retirement::Rule::score, {0, 24, 48, 48}));
}

}  // namespace
}  // namespace gauntlet
