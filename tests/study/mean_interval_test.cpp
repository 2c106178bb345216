#include "study/mean_interval.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

/// Of residuals with that skewness of the mean: one far from `others` that are alike.
ResidualMoments one_of(std::size_t count, double far) {
  ResidualMoments out;
  const double others = static_cast<double>(count) - 1;
  out.add(far);
  for (std::size_t i = 1; i < count; ++i) out.add(-far / others);
  return out;
}

TEST(MeanInterval, OfSymmetricValuesIsStudents) {
  ResidualMoments residuals;
  for (int i = 0; i < 10; ++i) {
    residuals.add(3);
    residuals.add(-3);
  }
  EXPECT_DOUBLE_EQ(residuals.deviation(), std::sqrt(180 / 19.0));
  EXPECT_EQ(residuals.skewness(), 0);
  const Interval of = mean_interval(7, 0.5, residuals, 19);
  EXPECT_DOUBLE_EQ(of.low, 7 - 0.5 * student_t_quantile(0.975, 19));
  EXPECT_DOUBLE_EQ(of.high, 7 + 0.5 * student_t_quantile(0.975, 19));
}

TEST(MeanInterval, OfFewValuesIsStudents) {
  const Interval of = mean_interval(7, 0.5, one_of(19, 10), 18);
  EXPECT_DOUBLE_EQ(of.high - 7, 0.5 * student_t_quantile(0.975, 18));
  EXPECT_DOUBLE_EQ(7 - of.low, 0.5 * student_t_quantile(0.975, 18));
}

TEST(MeanInterval, ItsEndsAreWhatHallsTransformationTakesToStudentsQuantiles) {
  for (const double far : {10.0, -10.0}) {
    const ResidualMoments residuals = one_of(40, far);
    const double g = residuals.skewness(), quantile = student_t_quantile(0.975, 39);
    EXPECT_EQ(g > 0, far > 0);
    const Interval of = mean_interval(0, 1, residuals, 39);
    // The statistic of a mean m is (0 - m) / 1.
    const auto transformed = [g](double m) {
      const double t = -m;
      return t + g * t * t / 3 + g * g * t * t * t / 27 + g / 6;
    };
    EXPECT_NEAR(transformed(of.low), quantile, 1e-9);
    EXPECT_NEAR(transformed(of.high), -quantile, 1e-9);
    EXPECT_EQ(of.high > -of.low, far > 0);  // longer on the side of what is rare
  }
}

TEST(MeanInterval, OfWhatDoesNotScatterIsThePoint) {
  ResidualMoments none;
  for (int i = 0; i < 30; ++i) none.add(0);
  EXPECT_EQ(mean_interval(3, 0, none, 29), (Interval{3, 3}));
}

// An exponential law has the skewness 2, and the mean of twenty such values a known law.
TEST(MeanInterval, HoldsTheMeanOfAnExponentialLawMoreOftenThanStudents) {
  constexpr int kStudies = 20'000;
  constexpr std::size_t kReplicas = 20;
  int held = 0, students = 0;
  for (std::uint32_t study = 0; study < kStudies; ++study) {
    Stream stream({.study = 5, .replica = study}, stream_name("skewed"));
    std::vector<double> values;
    double mean = 0;
    for (std::size_t i = 0; i < kReplicas; ++i) {
      values.push_back(-math_log(stream.uniform()));
      mean += values.back() / kReplicas;
    }
    ResidualMoments residuals;
    for (const double value : values) residuals.add(value - mean);
    const double error = residuals.deviation() / std::sqrt(double{kReplicas});
    const Interval of = mean_interval(mean, error, residuals, kReplicas - 1);
    held += of.low <= 1 && 1 <= of.high ? 1 : 0;
    students += std::abs(mean - 1) <= student_t_quantile(0.975, kReplicas - 1) * error ? 1 : 0;
  }
  EXPECT_GT(held / double{kStudies}, 0.935);
  EXPECT_LT(held / double{kStudies}, 0.97);
  EXPECT_LT(students / double{kStudies}, 0.925);
}

}  // namespace
}  // namespace gauntlet
