// The nested estimate over made-up runs whose two variances are known.
#include "study/uncertainty/two_level.hpp"

#include "core/infinity.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "study/finish/finish.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace gauntlet {
namespace {

/// Runs of normal distributions: their mean differs by draw with the variance `by_draw`; of the variance within a draw, 1, the
/// part `common` is the same as that of the run with the parameters as given under the same faults.
struct Nested {
  double by_draw = 0, common = 0;
  std::size_t draws = 60, each = 8;
};

double deviate(std::uint64_t seed, const char* what, std::uint64_t a, std::uint64_t b) {
  return normal_quantile(uniform_at({.study = seed}, stream_name(what), a, b));
}

TwoLevelMean estimated(const Nested& of, std::uint64_t seed) {
  std::vector<Fraction> given;
  std::vector<std::vector<Fraction>> drawn(of.draws);
  for (std::size_t draw = 0; draw < of.draws; ++draw)
    for (std::size_t run = 0; run < of.each; ++run) {
      const double common = deviate(seed, "test.common", draw, run),
                   own = deviate(seed, "test.own", draw, run);
      given.push_back({.numerator = 10 + common, .denominator = 1});
      const double effect = std::sqrt(of.by_draw) * deviate(seed, "test.draw", draw, 0);
      drawn[draw].push_back(
          {.numerator = 10 + effect + std::sqrt(of.common) * common + std::sqrt(1 - of.common) * own,
           .denominator = 1});
    }
  return *two_level_mean(given, drawn);
}

/// The share of 400 intervals that hold the truth of one more draw: without a variance by draw that of the mean, 10.
double share_covered(const Nested& of) {
  constexpr std::uint64_t kStudies = 400;
  double covered = 0;
  for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
    const double truth = 10 + std::sqrt(of.by_draw) * deviate(seed, "test.truth", 0, 0);
    const Interval found = estimated(of, seed).ci95();
    covered += found.low <= truth && truth <= found.high ? 1 : 0;
  }
  std::printf("variance by draw %.3f, in common %.1f: %.3f\n", of.by_draw, of.common, covered / kStudies);
  return covered / kStudies;
}

TEST(TwoLevel, IntervalsHoldTheTruthAsOftenAsTheySay) {
  // The share of 400 intervals of 95% has a standard error of 0.011.
  for (const double by_draw : {1.0, 0.3, 0.1, 0.05, 0.02})
    for (const double common : {0.0, 0.9}) {
      const double share = share_covered({.by_draw = by_draw, .common = common});
      EXPECT_GE(share, 0.92);
      EXPECT_LE(share, 0.985);
    }
  // What cannot be told from nothing is not taken for nothing.
  EXPECT_GE(share_covered({.by_draw = 0, .common = 0}), 0.95);
}

TEST(TwoLevel, MoreRunsMakeItExact) {
  const auto error = [](std::size_t each) {
    double squares = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const double of =
          estimated({.by_draw = 0.02, .draws = 100, .each = each}, seed).parameter_variance - 0.02;
      squares += of * of / 40;
    }
    return std::sqrt(squares);
  };
  // s = sqrt(2 / 99) (A + R/n) and what the runs within add: 0.0206 of 8 runs, 0.0037 of 128.
  EXPECT_GT(error(8), 0.010);
  EXPECT_LT(error(128), 0.006);
}

TEST(TwoLevel, WhatChangesNothingAddsNothing) {
  const TwoLevelMean found = estimated({.by_draw = 0, .common = 1}, 3);
  EXPECT_EQ(found.parameter_variance, 0);
  EXPECT_NEAR(found.run_variance, 1, 0.2);
  EXPECT_NEAR(found.variance, 1 / 480.0, 0.6 / 480) << "that of the mean of 480 runs alone";
}

TEST(TwoLevel, AParameterThatChangesNothingLeavesWhatChanceDoes) {
  // All runs are those as given: the interval is that of the mean of 480 runs.
  const double share = share_covered({.by_draw = 0, .common = 1});
  EXPECT_GE(share, 0.92);
  EXPECT_LE(share, 0.975);
}

TEST(TwoLevel, ARatioHasTheRatioOfTotals) {
  // Draw 0: 3/4 against 1/4; draw 1: 5/8 against 3/8.
  const std::vector<Fraction> given = {{1, 2}, {0, 2}, {1, 4}, {2, 4}};
  const std::vector<std::vector<Fraction>> drawn = {{{1, 2}, {2, 2}}, {{2, 4}, {3, 4}}};
  EXPECT_DOUBLE_EQ(two_level_mean(given, drawn)->mean, 4 / 12.0 + (0.5 + 0.25) / 2);
  EXPECT_FALSE(
      two_level_mean(std::vector<Fraction>(4, {0, 0}), std::vector(2, std::vector<Fraction>(2, {0, 0}))));
}

TEST(ClusteredShare, CountsRunsThatAreAlikeOnce) {
  // Of 40 draws half finish with all their runs: 40 independent answers, whatever the runs of each.
  std::vector<double> alike(40, 0.0), mixed(40, 0.5);
  for (std::size_t i = 0; i < 20; ++i) alike[i] = 1;
  const ClusteredShare of_draws = clustered_share(alike, 4000);
  EXPECT_DOUBLE_EQ(of_draws.value, 0.5);
  EXPECT_NEAR(of_draws.ci95.high - of_draws.ci95.low, 0.335, 0.01);  // Clopper and Pearson's of 20 of 36.6
  for (std::size_t i = 0; i < 40; ++i) mixed[i] += i % 2 == 0 ? 0.05 : -0.05;
  EXPECT_LT(clustered_share(mixed, 4000).ci95.high, 0.53)
      << "draws that are alike are as many runs as they have";
  EXPECT_EQ(clustered_share(std::vector<double>(40, 1.0), 4000).ci95.high, 1);
  EXPECT_NEAR(clustered_share(std::vector<double>(40, 1.0), 4000).ci95.low, 0.912, 0.001);  // 40 of 40
}

/// The shares of 400 intervals that hold the median and the 90% percentile of runs that scatter by 1 - `by_draw` within a draw.
std::vector<double> percentiles_covered(double by_draw) {
  constexpr std::uint64_t kStudies = 400;
  constexpr std::size_t kDraws = 60, kEach = 8;
  std::vector<double> covered(2);
  for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
    std::vector<std::vector<double>> draws(kDraws);
    for (std::size_t draw = 0; draw < kDraws; ++draw)
      for (std::size_t run = 0; run < kEach; ++run)
        draws[draw].push_back(10 + std::sqrt(by_draw) * deviate(seed, "test.draw", draw, 0) +
                              std::sqrt(1 - by_draw) * deviate(seed, "test.own", draw, run));
    const FinishTimes times = percentiles_of_draws(draws);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t percent = i == 0 ? 50 : 90;
      const std::optional<Interval> found = times.ci95_at(percent);
      const double truth = 10 + normal_quantile(static_cast<double>(percent) / 100);
      EXPECT_TRUE(found) << percent;
      covered[i] += found && found->low <= truth && truth <= found->high ? 1.0 / kStudies : 0;
    }
  }
  std::printf("variance by draw %.1f: median %.3f, 90%% percentile %.3f\n", by_draw, covered[0], covered[1]);
  return covered;
}

TEST(PercentilesOfDraws, IntervalsHoldTheTruthAsOftenAsTheySay) {
  // The share of 400 intervals of 95% has a standard error of 0.011. Between order statistics it is 95% or more.
  for (const double by_draw : {0.0, 0.5, 1.0})
    for (const double share : percentiles_covered(by_draw)) {
      EXPECT_GE(share, 0.925);
      EXPECT_LE(share, 0.995);
    }
}

TEST(PercentilesOfDraws, OfRunsThatAreAlikeAreThoseOfTheDraws) {
  std::vector<std::vector<double>> alike(100);
  std::vector<double> once;
  for (std::size_t draw = 0; draw < 100; ++draw) {
    once.push_back(static_cast<double>(draw));
    alike[draw] = std::vector<double>(8, once.back());
  }
  const Interval found = *percentiles_of_draws(alike).ci95_at(50);
  const Interval of_draws = *percentiles_with_intervals(once).ci95_at(50);
  EXPECT_NEAR(found.low, of_draws.low, 1);
  EXPECT_NEAR(found.high, of_draws.high, 1);
  // One of a hundred is never: neither the last percentile nor the end of its interval is known.
  alike.back() = std::vector<double>(8, kInfinity);
  EXPECT_FALSE(percentiles_of_draws(alike).ci95_at(98));
}

}  // namespace
}  // namespace gauntlet
