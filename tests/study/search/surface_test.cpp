// The curves that tune draws through points, and their lowest points.
#include "study/search/surface.hpp"

#include "study/search/lowest.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

TEST(Surface, GoesThroughWhatGrowsWithASettingAndWhatFalls) {
  // What a checkpoint interval e^z costs, far from the centre too, and a second axis with a product.
  const auto truth = [](const Position& at) {
    return 3 * std::exp(-at[0]) + 0.5 * std::exp(at[0]) + 2 + std::exp(at[1]) - 0.3 * (at[0] - 1) * at[1];
  };
  std::vector<Position> points;
  std::vector<double> values;
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 5; ++j) {
      points.push_back({i * 0.4, j * 0.3 - 0.5});
      values.push_back(truth(points.back()));
    }
  const Surface surface = SurfaceFitter(points, {1, 0}).fit(values);
  for (const Position& at : {Position{0.33, 0.11}, Position{2.5, -1.0}, Position{-0.5, 0.9}})
    EXPECT_NEAR(surface.at(at), truth(at), 1e-9);
}

TEST(Surface, HasNoMoreTermsThanPointsCanTellApart) {
  const std::vector<Position> two = {{0.0, 1.0}, {1.0, 1.0}, {1.0, 1.0}};
  const SurfaceFitter fitter(two, {0, 1});
  EXPECT_EQ(fitter.terms(), 2U) << "a level and a slope along the one axis with two values";
  const std::vector<double> values = {1.0, 3.0, 5.0};
  EXPECT_NEAR(fitter.fit(values).at({1.0, 7.0}), 4, 1e-12)
      << "the mean of those at the same place, wherever on the other";
}

TEST(Lowest, IsInTheBoxAndWithinTheBounds) {
  const Response bowl = [](const Position& at) {
    return (at[0] - 2) * (at[0] - 2) + (at[1] + 1) * (at[1] + 1);
  };
  const Box box{.low = {-3, -3}, .high = {3, 3}};
  const std::vector<Position> starts = {{-2.5, 2.5}};
  const auto expect_at = [](const Position& got, double x, double y) {
    EXPECT_NEAR(got[0], x, 1e-3);
    EXPECT_NEAR(got[1], y, 1e-3);
  };
  expect_at(lowest(bowl, {}, box, starts), 2, -1);
  expect_at(lowest(bowl, {}, {.low = {-3, 0}, .high = {1, 3}}, starts), 1, 0);
  const std::vector<Response> below = {[](const Position& at) { return at[0] + at[1]; }};  // x + y <= 0
  expect_at(lowest(bowl, below, box, starts), 1.5, -1.5);
  const std::vector<Response> never = {[](const Position& at) { return 1 + at[0] * at[0] + at[1] * at[1]; }};
  expect_at(lowest(bowl, never, box, starts), 0, 0);  // breaks it least
}

// From 0.8 the search ends at 0.8, where the bound is broken least nearby. That is lower than the best point within the bound.
TEST(Lowest, PrefersAPointWithinTheBoundsToALowerOne) {
  const Response falling = [](const Position& at) { return -at[0]; };
  const std::vector<Response> bounds = {[](const Position& at) {
    return at[0] < 0.4 ? at[0] - 0.2 : 0.1 + 0.625 * (at[0] - 0.8) * (at[0] - 0.8);
  }};
  const std::vector<Position> starts = {{0.1}, {0.8}};
  EXPECT_NEAR(lowest(falling, bounds, {.low = {0}, .high = {1}}, starts)[0], 0.2, 1e-3);
}

}  // namespace
}  // namespace gauntlet
