// Shares of a variance over made-up runs of a model whose shares are known in closed form.
#include "study/uncertainty/variance_shares.hpp"

#include "core/math/special.hpp"
#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// y = 10 + sum_k c_k x_k + product x_0 x_1 + square (x_0^2 - 1) / sqrt(2) + r: all x of variance 1, r of variance `run`, of which half
/// is in common with the run as given. The variance of one run is sum_k c_k^2 + product^2 + square^2 + run.
struct Model {
  std::vector<double> effects;
  double product = 0, square = 0, run = 0;
  std::size_t draws = 200, each = 8;

  double variance() const {
    double sum = product * product + square * square + run;
    for (const double effect : effects) sum += effect * effect;
    return sum;
  }
};

double deviate(std::uint64_t seed, const std::string& what, std::uint64_t a, std::uint64_t b) {
  return normal_quantile(uniform_at({.study = seed}, stream_name(what), a, b));
}

std::optional<VarianceShares> shares_of(const Model& of, std::uint64_t seed) {
  std::vector<DrawnUnknown> unknowns(of.effects.size(), {.values = {}, .variance = 1});
  std::vector<Fraction> given;
  std::vector<std::vector<Fraction>> drawn(of.draws);
  for (std::size_t draw = 0; draw < of.draws; ++draw) {
    double y = 10;
    std::vector<double> x;
    for (std::size_t k = 0; k < of.effects.size(); ++k) {
      x.push_back(deviate(seed, "test.x" + std::to_string(k), draw, 0));
      unknowns[k].values.push_back(x[k]);
      y += of.effects[k] * x[k];
    }
    if (of.product != 0) y += of.product * x[0] * x[1];
    if (of.square != 0) y += of.square * (x[0] * x[0] - 1) / std::sqrt(2.0);
    for (std::size_t run = 0; run < of.each; ++run) {
      const double common = deviate(seed, "test.common", draw, run),
                   own = deviate(seed, "test.own", draw, run);
      given.push_back({.numerator = 10 + common, .denominator = 1});
      drawn[draw].push_back({.numerator = y + std::sqrt(of.run / 2) * (common + own), .denominator = 1});
    }
  }
  return variance_shares(given, drawn, unknowns);
}

double sum_of(const VarianceShares& shares) {
  double sum = shares.joint + shares.runs.value;
  for (const VarianceShare& share : shares.unknowns) sum += share.value;
  return sum;
}

TEST(VarianceShares, OfALinearModelAreThoseOfItsVariances) {
  const Model model{.effects = {3, 2, 1, 0}, .run = 6};  // 9 + 4 + 1 + 6 = 20
  double mean[6] = {};
  constexpr int kStudies = 100;
  for (int seed = 0; seed < kStudies; ++seed) {
    const VarianceShares found = *shares_of(model, static_cast<std::uint64_t>(seed));
    EXPECT_NEAR(sum_of(found), 1, 1e-12);
    for (std::size_t k = 0; k < 4; ++k) mean[k] += found.unknowns[k].value / kStudies;
    mean[4] += found.joint / kStudies;
    mean[5] += found.runs.value / kStudies;
  }
  const double truth[6] = {0.45, 0.2, 0.05, 0, 0, 0.3};
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(mean[i], truth[i], 0.01) << i;  // zero is cut off below: half of its error
}

/// The share of 400 intervals that hold the truth.
double covered(const Model& model, double truth, const VarianceShare& (*pick)(const VarianceShares&)) {
  constexpr std::uint64_t kStudies = 400;
  double held = 0;
  for (std::uint64_t seed = 0; seed < kStudies; ++seed) {
    const VarianceShares shares = *shares_of(model, seed);
    const VarianceShare& found = pick(shares);
    EXPECT_LE(found.ci95.low, found.value);
    EXPECT_GE(found.ci95.high, found.value);
    held += found.ci95.low <= truth && truth <= found.ci95.high ? 1 : 0;
  }
  std::printf("a share of %.3f: %.3f of the intervals hold it\n", truth, held / kStudies);
  return held / kStudies;
}

const VarianceShare& first(const VarianceShares& shares) { return shares.unknowns[0]; }
const VarianceShare& last(const VarianceShares& shares) { return shares.unknowns.back(); }
const VarianceShare& runs(const VarianceShares& shares) { return shares.runs; }

TEST(VarianceShares, IntervalsHoldTheTruthAsOftenAsTheySay) {
  // The share of 400 intervals of 95% has a standard error of 0.011.
  const auto expect = [](double share) {
    EXPECT_GE(share, 0.92);
    EXPECT_LE(share, 0.985);
  };
  const Model linear{.effects = {3, 2, 1, 0}, .run = 6};
  expect(covered(linear, 0.45, first));
  expect(covered(linear, 0.3, runs));
  expect(covered({.effects = {2, 1, 0.5}, .run = 50}, 0.25 / (4 + 1 + 0.25 + 50), last));
  expect(covered({.effects = {5, 1}, .run = 1}, 25 / 27.0, first));
  const Model bent{.effects = {2, 1, 1}, .product = 1, .square = 1, .run = 4};  // 4 + 1 + 1 + 1 + 1 + 4 = 12
  expect(covered(bent, 1 / 12.0, last));
  // An unknown without effect has a share of zero within its interval.
  expect(covered({.effects = {2, 0}, .run = 4}, 0, last));
}

TEST(VarianceShares, WhatIsNoStraightLineIsOnItsOwn) {
  const Model bent{.effects = {2, 1, 1}, .product = 1, .square = 1, .run = 4};  // 2 of 12
  double mean = 0;
  constexpr int kStudies = 100;
  for (int seed = 0; seed < kStudies; ++seed)
    mean += shares_of(bent, static_cast<std::uint64_t>(seed))->joint / kStudies;
  EXPECT_NEAR(mean, 2 / 12.0, 0.015);  // a scatter of 0.04 each
}

TEST(VarianceShares, OfASingleUnknownWithoutChanceAreOneAndNothing) {
  const VarianceShares found = *shares_of({.effects = {2, 0}, .run = 0}, 7);
  EXPECT_NEAR(found.unknowns[0].value, 1, 1e-9);
  EXPECT_NEAR(found.unknowns[0].ci95.low, 1, 1e-6);
  EXPECT_NEAR(found.unknowns[1].value, 0, 1e-9);
  EXPECT_NEAR(found.unknowns[1].ci95.high, 0, 1e-6);
  EXPECT_NEAR(found.variance, 4, 1e-6);
}

TEST(VarianceShares, OfRunsAloneAreTheRuns) {
  const VarianceShares found = *shares_of({.effects = {0}, .run = 3}, 7);
  EXPECT_GT(found.runs.value, 0.95);
  EXPECT_EQ(found.unknowns[0].ci95.low, 0);
  EXPECT_NEAR(found.variance, 3, 0.4);
}

TEST(VarianceShares, NeedDrawsAndAVariance) {
  EXPECT_FALSE(shares_of({.effects = {1, 1}, .run = 1, .draws = 22}, 1));
  EXPECT_TRUE(shares_of({.effects = {1, 1}, .run = 1, .draws = 23}, 1));
  EXPECT_FALSE(shares_of({.effects = {0}, .run = 0}, 1)) << "nothing varies";
  // An unknown that is the same in every draw causes nothing.
  std::vector<std::vector<Fraction>> drawn;
  DrawnUnknown constant{.values = {}, .variance = 0}, other{.values = {}, .variance = 1 / 12.0};
  for (int draw = 0; draw < 40; ++draw) {
    constant.values.push_back(5);
    other.values.push_back(
        uniform_at({.study = 1}, stream_name("test.u"), static_cast<std::uint64_t>(draw), 0));
    drawn.push_back({{other.values.back(), 1}, {other.values.back(), 1}});
  }
  const auto found = variance_shares(std::vector<Fraction>(80, {1, 1}), drawn, std::vector{constant, other});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->unknowns[0].value, 0);
  EXPECT_NEAR(found->unknowns[1].value, 1, 1e-9);
}

}  // namespace
}  // namespace gauntlet
