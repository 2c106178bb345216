#include "study/paired.hpp"

#include "core/random/stream.hpp"
#include "study/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace gauntlet {
namespace {

using Values = std::vector<Fraction>;

Values plain(const std::vector<double>& values) {
  Values out;
  for (const double value : values) out.push_back({.numerator = value, .denominator = 1});
  return out;
}

TEST(PairedDifference, OfPlainValuesIsThatOfTheirDifferences) {
  // Differences 2, 4, 3, 1, 5: mean 3, squared deviations 1+1+0+4+4 = 10, sd = sqrt(10/4), se = sqrt(10/4/5).
  // First alone: mean 30, squared deviations 400+100+0+100+400 = 1000. Second: 12, 24, 33, 41, 55, mean 33:
  // 441+81+0+64+484 = 1070. Apart they vary (1000+1070)/10 = 207 times as much.
  // Student's t at 0.975 with 4 degrees of freedom is 2.776445105 (tables).
  const PairedDifference of = paired_difference(plain({10, 20, 30, 40, 50}), plain({12, 24, 33, 41, 55}));
  EXPECT_DOUBLE_EQ(*of.difference, 3);
  EXPECT_DOUBLE_EQ(*of.se, std::sqrt(0.5));
  ASSERT_TRUE(of.ci95);
  EXPECT_NEAR(of.ci95->high, 3 + 2.776445105 * std::sqrt(0.5), 1e-8);
  EXPECT_NEAR(of.ci95->low, 3 - 2.776445105 * std::sqrt(0.5), 1e-8);
  EXPECT_DOUBLE_EQ(*of.variance_factor, 207);
}

TEST(PairedDifference, OfRatiosIsThatOfTheirTotals) {
  // First 1/2, 3/4: 4/6. Second 1/4, 2/4: 3/8. Residuals with mean denominators 3 and 4:
  // first (1 - 2*2/3)/3 = -1/9 and (3 - 4*2/3)/3 = 1/9; second (1 - 4*3/8)/4 = -1/8 and 1/8.
  // Paired: -1/72 and 1/72, so sd = sqrt(2)/72 and se = 1/72; apart 2(1/81 + 1/64) against 2/72^2: 64 + 81.
  const PairedDifference of = paired_difference(Values{{1, 2}, {3, 4}}, Values{{1, 4}, {2, 4}});
  EXPECT_DOUBLE_EQ(*of.difference, 3.0 / 8 - 4.0 / 6);
  EXPECT_NEAR(*of.se, 1.0 / 72, 1e-16);
  EXPECT_NEAR(*of.variance_factor, 145, 1e-9);
  EXPECT_FALSE(of.ci95) << "two replicas are too few";
}

TEST(PairedDifference, IsThatOfThePrintedMeansAndTurnsRoundWithItsSides) {
  Stream random({.study = 42, .replica = 0}, stream_name("test.paired"));
  Values first, second;
  MetricStatistics of_first, of_second;
  for (int i = 0; i < 200; ++i) {
    const double common = random.uniform();
    first.push_back({common + 0.1 * random.uniform(), 1 + common});
    second.push_back({common + 0.1 * random.uniform(), 2 + common});
    of_first.add(first.back());
    of_second.add(second.back());
  }
  const PairedDifference there = paired_difference(first, second), back = paired_difference(second, first);
  EXPECT_EQ(*there.difference, *of_second.statistics().mean - *of_first.statistics().mean) << "seed 42";
  EXPECT_EQ(*there.difference, -*back.difference);
  EXPECT_DOUBLE_EQ(*there.se, *back.se);
  EXPECT_DOUBLE_EQ(*there.variance_factor, *back.variance_factor);
  // Against a side that does not vary, the error is the other's own, and pairing gains nothing.
  const PairedDifference alone = paired_difference(Values(200, Fraction{7, 2}), second);
  EXPECT_NEAR(*alone.se, *of_second.statistics().se, 1e-15);
  EXPECT_DOUBLE_EQ(*alone.variance_factor, 1);
}

TEST(PairedDifference, OfAConstantShiftDoesNotVary) {
  // 0.1 is not a binary number, so the differences have rounding errors. These are not scatter.
  Values first, second;
  for (int i = 0; i < 10; ++i) {
    first.push_back({1000.0 + i, 1});
    second.push_back({1000.0 + i + 0.1, 1});
  }
  const PairedDifference shift = paired_difference(first, second);
  EXPECT_NEAR(*shift.difference, 0.1, 1e-12);
  EXPECT_EQ(shift.se, 0);
  EXPECT_FALSE(shift.variance_factor);
  EXPECT_EQ(shift.ci95->low, shift.ci95->high);
  const PairedDifference none = paired_difference(first, first);
  EXPECT_EQ(none.difference, 0);
  EXPECT_EQ(none.se, 0);
}

TEST(PairedDifference, OfTooLittleIsUnknown) {
  EXPECT_FALSE(paired_difference({}, {}).difference);
  const PairedDifference one = paired_difference(plain({1}), plain({4}));
  EXPECT_EQ(one.difference, 3);
  EXPECT_FALSE(one.se || one.ci95 || one.variance_factor);
  // Four pairs have an error and no interval; a side without any value of its own has no difference at all.
  EXPECT_TRUE(paired_difference(plain({1, 2, 3, 4}), plain({2, 2, 3, 4})).se);
  EXPECT_FALSE(paired_difference(plain({1, 2, 3, 4}), plain({2, 2, 3, 4})).ci95);
  EXPECT_FALSE(paired_difference(plain({1, 2}), Values(2, Fraction{0, 0})).difference);
}

TEST(PairedDifference, OfFewPairsThatDifferAmongEqualOnesHasNoInterval) {
  const auto of_different = [](std::size_t different) {
    std::vector<double> first(40, 7), second = first;
    for (std::size_t i = 0; i < different; ++i) second[3 * i] += static_cast<double>(i + 1);
    return paired_difference(plain(first), plain(second));
  };
  EXPECT_EQ(of_different(0).ci95, (Interval{0, 0}));
  for (const std::size_t few : {1U, 9U}) {
    EXPECT_TRUE(of_different(few).difference && of_different(few).se);
    EXPECT_FALSE(of_different(few).ci95) << few;
  }
  EXPECT_TRUE(of_different(10).ci95);
  // Five pairs that all differ are as good as five values; with an equal one among them they are not.
  EXPECT_TRUE(paired_difference(plain({1, 2, 3, 4, 5}), plain({2, 4, 4, 6, 7})).ci95);
  EXPECT_FALSE(paired_difference(plain({1, 2, 3, 4, 5}), plain({2, 4, 4, 6, 5})).ci95);
  // Nothing lost on both sides is equal, over however much time.
  Values first(40, Fraction{0, 3}), second(40, Fraction{0, 4});
  second[5].numerator = 1;
  EXPECT_FALSE(paired_difference(first, second).ci95);
}

}  // namespace
}  // namespace gauntlet
