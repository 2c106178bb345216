#include "commands/calibrate/estimate.hpp"

#include "core/random/law.hpp"
#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

KeySample sample_of(KeyForm form, std::vector<MeasuredDuration> values, Grows grows = Grows::with_nothing) {
  return {.key = "job.stop_time", .form = form, .grows = grows, .values = std::move(values)};
}

TEST(CalibrateEstimate, ADistributionHasTheMedianAndTheSpreadOfTheLogarithms) {
  // Logarithms -1, 0 and 1: their mean is 0 and their standard deviation 1.
  const auto of =
      estimate(sample_of(KeyForm::distribution, {{std::exp(-1), 0}, {1, 0}, {std::exp(1), 0}}), 0);
  ASSERT_TRUE(of);
  EXPECT_NEAR(of->seconds, 1, 1e-12);
  EXPECT_NEAR(of->sigma, 1, 1e-12);
  EXPECT_EQ(of->degrees, 2);
  // Student's t with two degrees of freedom has its 95% value at 2.9200.
  EXPECT_NEAR(std::log(of->value.high), 2.9200 / std::sqrt(3), 1e-4);
  EXPECT_NEAR(std::log(of->value.low), -2.9200 / std::sqrt(3), 1e-4);
}

TEST(CalibrateEstimate, ADurationIsTheMean) {
  const auto of = estimate(sample_of(KeyForm::duration, {{1, 0}, {2, 0}, {6, 0}}), 0);
  ASSERT_TRUE(of);
  EXPECT_NEAR(of->seconds, 3, 1e-12);
  EXPECT_EQ(of->sigma, 0);
  EXPECT_EQ(of->least, 1);
  EXPECT_EQ(of->most, 6);
  // The standard deviation is the root of 7, so the error of the mean is 1.5275.
  EXPECT_NEAR(std::log(of->value.high / 3), 2.9200 * 1.5275 / 3, 1e-3);
}

TEST(CalibrateEstimate, OneMeasurementOrEqualOnesHaveNoInterval) {
  for (const KeyForm form : {KeyForm::distribution, KeyForm::duration}) {
    const auto one = estimate(sample_of(form, {{2, 0}}), 0);
    ASSERT_TRUE(one);
    EXPECT_EQ(one->seconds, 2);
    EXPECT_EQ(one->degrees, 0);
    EXPECT_EQ(one->sigma, 0);
    const auto equal = estimate(sample_of(form, {{2, 0}, {2, 0}, {2, 0}}), 0);
    ASSERT_TRUE(equal);
    EXPECT_NEAR(equal->seconds, 2, 1e-12);
    EXPECT_EQ(equal->degrees, 0);
  }
  EXPECT_FALSE(estimate(sample_of(KeyForm::duration, {}), 0));
}

TEST(CalibrateEstimate, ADistributionThatReachesZeroIsItsMean) {
  const auto of = estimate(sample_of(KeyForm::distribution, {{0, 0}, {2, 0}}), 0);
  ASSERT_TRUE(of);
  EXPECT_EQ(of->sigma, 0);
  EXPECT_NEAR(of->seconds, 1, 1e-12);
}

TEST(CalibrateEstimate, TwoSizesGiveALineAndWhatLiesBeyondIsExtrapolated) {
  // t = 2 + 3 x.
  const KeySample sample =
      sample_of(KeyForm::duration, {{8, 2}, {8, 2}, {14, 4}, {14, 4}}, Grows::with_hosts);
  const auto within = estimate(sample, 3), beyond = estimate(sample, 64);
  ASSERT_TRUE(within && beyond);
  EXPECT_NEAR(within->seconds, 11, 1e-9);
  EXPECT_FALSE(within->extrapolated);
  EXPECT_NEAR(beyond->seconds, 194, 1e-9);
  EXPECT_TRUE(beyond->extrapolated);
  EXPECT_NEAR(beyond->line->at_zero, 2, 1e-9);
  EXPECT_NEAR(beyond->line->per_unit, 3, 1e-9);
  EXPECT_EQ(beyond->line->least, 2);
  EXPECT_EQ(beyond->line->most, 4);
}

TEST(CalibrateEstimate, ALineThatFallsBelowZeroIsRefused) {
  EXPECT_FALSE(estimate(sample_of(KeyForm::duration, {{8, 2}, {4, 4}}, Grows::with_hosts), 64));
}

TEST(CalibrateEstimate, OneSizeIsAConstantThatSaysSo) {
  const KeySample sample = sample_of(KeyForm::duration, {{8, 4}, {10, 4}}, Grows::with_hosts);
  EXPECT_FALSE(estimate(sample, 4)->extrapolated);
  const auto larger = estimate(sample, 64);
  EXPECT_TRUE(larger->extrapolated);
  EXPECT_FALSE(larger->line);
  EXPECT_NEAR(larger->seconds, 9, 1e-12);
}

/// How many of 2,000 intervals hold the true value; `size`: for which it is asked.
template <class Draw>
int held_intervals(KeyForm form, Grows grows, std::size_t n, double size, double truth, Draw draw) {
  int held = 0;
  for (std::uint32_t trial = 0; trial < 2000; ++trial) {
    Stream stream({.study = 7, .replica = trial}, stream_name("calibrate.coverage"));
    KeySample sample = sample_of(form, {}, grows);
    for (std::size_t i = 0; i < n; ++i) sample.values.push_back(draw(i, stream));
    const auto of = estimate(sample, size);
    held += of && of->value.low <= truth && truth <= of->value.high ? 1 : 0;
  }
  return held;
}

// 90% of 2,000 are 1,800, with a standard deviation of 13.4: the bounds are four of these away.
constexpr int kFewestHeld = 1746, kMostHeld = 1854;

TEST(CalibrateCoverage, IntervalsOfAMedianHoldItAsOftenAsTheySay) {
  const Law law = Law::lognormal(3, 0.8);
  for (const std::size_t n : {2UL, 4UL, 40UL}) {
    const int held =
        held_intervals(KeyForm::distribution, Grows::with_nothing, n, 0, 3,
                       [&](std::size_t, Stream& stream) { return MeasuredDuration{law.sample(stream)}; });
    EXPECT_GE(held, kFewestHeld) << n;
    EXPECT_LE(held, kMostHeld) << n;
  }
}

TEST(CalibrateCoverage, IntervalsOfAMeanHoldItAsOftenAsTheySay) {
  // Durations of a machine spread by a tenth: there the error of the mean is as good as normal.
  const Law law = Law::lognormal_with_mean(3, 0.1);
  for (const std::size_t n : {3UL, 10UL, 40UL}) {
    const int held =
        held_intervals(KeyForm::duration, Grows::with_nothing, n, 0, 3,
                       [&](std::size_t, Stream& stream) { return MeasuredDuration{law.sample(stream)}; });
    EXPECT_GE(held, kFewestHeld) << n;
    EXPECT_LE(held, kMostHeld) << n;
  }
}

TEST(CalibrateCoverage, IntervalsOnALineHoldItAsOftenAsTheySay) {
  // t = 2 + 0.5 x hosts, and an error of 0.1; asked for 16 hosts after 4 and 8 were measured.
  const Law noise = Law::uniform(0, 0.2);
  const int held =
      held_intervals(KeyForm::duration, Grows::with_hosts, 20, 16, 10, [&](std::size_t i, Stream& stream) {
        const double hosts = i % 2 == 0 ? 4 : 8;
        return MeasuredDuration{1.9 + 0.5 * hosts + noise.sample(stream), hosts};
      });
  EXPECT_GE(held, kFewestHeld);
  EXPECT_LE(held, kMostHeld);
}

// Runs of four measurements each: the machine makes a run slower or quicker by a fifth, and a measurement by a tenth.
TEST(CalibrateCoverage, IntervalsHoldWhatRunsAndTheNextRunHaveAtLeastAsOftenAsTheySay) {
  const Law of_run = Law::lognormal(1, 0.2), of_one = Law::lognormal(1, 0.1);
  for (const KeyForm form : {KeyForm::distribution, KeyForm::duration}) {
    for (const std::uint32_t runs : {3U, 10U}) {
      int held = 0, held_next = 0;
      for (std::uint32_t trial = 0; trial < 2000; ++trial) {
        Stream stream({.study = 8, .replica = trial}, stream_name("calibrate.runs"));
        KeySample sample = sample_of(form, {});
        for (std::uint32_t run = 0; run < runs; ++run) {
          const double slow = of_run.sample(stream);
          for (int i = 0; i < 4; ++i) sample.values.push_back({3 * slow * of_one.sample(stream), 0, run});
        }
        // Of a lognormal distribution the mean is exp(sigma^2 / 2) medians.
        const double middle = form == KeyForm::distribution ? 3 : 3 * std::exp((0.2 * 0.2 + 0.1 * 0.1) / 2);
        const double slow = of_run.sample(stream);
        double mean = 0;
        for (int i = 0; i < 4; ++i) mean += 3 * slow * of_one.sample(stream) / 4;
        const double next = form == KeyForm::distribution ? 3 * slow : mean;
        const auto of = estimate(sample, 0);
        ASSERT_TRUE(of);
        held += of->value.low <= middle && middle <= of->value.high ? 1 : 0;
        held_next += of->one_run.low <= next && next <= of->one_run.high ? 1 : 0;
      }
      EXPECT_GE(held, kFewestHeld) << runs;
      EXPECT_GE(held_next, kFewestHeld) << runs;
      // Not by being as wide as anything: 95% is the most.
      EXPECT_LE(held_next, 1900) << runs;
    }
  }
}

TEST(CalibrateEstimate, OneRunMoreIsAsUncertainAsRunsAreDifferent) {
  KeySample sample = sample_of(KeyForm::duration, {});
  for (const std::uint32_t run : {0U, 1U, 2U})
    for (const double error : {-0.01, 0.01}) sample.values.push_back({10 + run + error, 0, run});
  const auto of = estimate(sample, 0);
  ASSERT_TRUE(of);
  EXPECT_EQ(of->runs, 3U);
  EXPECT_EQ(of->degrees, 2);
  // Means of 10, 11 and 12: their standard deviation is 1, and that of one more around their mean the root of 4/3.
  EXPECT_NEAR(std::log(of->one_run.high / 11), 2.9200 * std::sqrt(4.0 / 3) / 11, 1e-3);
  EXPECT_NEAR(std::log(of->value.high / 11), 2.9200 * std::sqrt(1.0 / 3) / 11, 1e-3);
}

}  // namespace
}  // namespace gauntlet
