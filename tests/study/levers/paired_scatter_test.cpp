#include "study/levers/paired_scatter.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

using Values = std::vector<Fraction>;

/// How many events make the scatter.
double events_of(const Values& first, const Values& second) {
  const double skewness = paired_scatter(first, second).skewness;
  return 1 / (skewness * skewness);
}

/// Of pairs with these differences.
double events_in(const std::vector<double>& differences) {
  Values first, second;
  for (const double difference : differences) {
    first.push_back({.numerator = 10, .denominator = 1});
    second.push_back({.numerator = 10 + difference, .denominator = 1});
  }
  return events_of(first, second);
}

TEST(PairedScatter, EventsAreThePairsThatDifferFromTheOthers) {
  // Residuals -1 four times and 4: squares 20, cubes -4 + 64.
  EXPECT_NEAR(events_in({0, 0, 0, 0, 5}), 8000.0 / 3600, 1e-12);
  std::vector<double> many(10'000, 3);
  for (int i = 0; i < 7; ++i) many[static_cast<std::size_t>(i)] = 90;
  EXPECT_NEAR(events_in(many), 7, 0.02);
}

TEST(PairedScatter, EventsHaveNoBoundWhereTheScatterIsSymmetricOrNone) {
  EXPECT_TRUE(std::isinf(events_in({1, -1, 1, -1})));
  EXPECT_TRUE(std::isinf(events_in({2, 2, 2})));
}

TEST(PairedScatter, EventsOfRatiosAreThoseOfTheirResiduals) {
  // Ratios of totals 1 and 1/2; residuals of the second over its denominators' sum of 8: (1 - 2/2, 0 - 2/2, 3 - 4/2)/8 = (0, -1, 1)/8.
  EXPECT_TRUE(std::isinf(events_of(Values{{1, 1}, {1, 1}, {1, 1}}, Values{{1, 2}, {0, 2}, {3, 4}})));
}

}  // namespace
}  // namespace gauntlet
