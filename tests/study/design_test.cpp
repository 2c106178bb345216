// Points of a grid and of a Latin hypercube.
#include "study/design.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace gauntlet {
namespace {

constexpr std::uint64_t kDesignSeed = 7;

Axis axis(const std::string& text) { return *parse_axis(text, Value{Value::Table{}, {}, {}, false}).axis; }

TEST(Design, AGridHasEveryCombinationOnceTheLastFieldFastest) {
  const std::vector<Axis> axes = {axis("a=1,2"), axis("b=x,y,z")};
  EXPECT_EQ(grid_size(axes), 6U);
  const std::vector<Settings> points = grid(axes);
  ASSERT_EQ(points.size(), 6U);
  EXPECT_EQ(points[1], (Settings{{"a", "1"}, {"b", "y"}}));
  EXPECT_EQ(points[3], (Settings{{"a", "2"}, {"b", "x"}}));
}

TEST(Design, AGridOfTooManyPointsIsNotMade) {
  const std::vector<Axis> axes = {axis("a=1s:1000s:lin1000"), axis("b=1s:1000s:lin1000")};
  EXPECT_EQ(grid_size(std::span(axes).first(1)), 1000U);
  EXPECT_FALSE(grid_size(axes));
}

TEST(Design, ALatinHypercubeHasOnePointInEveryStratumOfEveryRange) {
  SCOPED_TRACE("seed 7");
  constexpr std::uint32_t kPoints = 40;
  const std::vector<Axis> axes = {axis("a=1min:2h:log"), axis("b=10:20.5:lin"), axis("c=x,y")};
  const std::vector<Settings> points = latin_hypercube(axes, kPoints, kDesignSeed);
  ASSERT_EQ(points.size(), kPoints);
  for (std::size_t i = 0; i < 2; ++i) {
    std::set<int> strata;
    for (const Settings& point : points) {
      // Rounding, to a tenth of a stratum at most, may move a point over its edge: then it counts where it was drawn.
      const double position = *axes[i].range->position_of(point[i].value);
      strata.insert(static_cast<int>(position * kPoints));
    }
    EXPECT_GE(strata.size(), kPoints - 4U);
  }
  std::map<std::string, int> names;
  for (const Settings& point : points) ++names[point[2].value];
  EXPECT_EQ(names["x"], 20);
  EXPECT_EQ(names["y"], 20);
}

TEST(Design, ALatinHypercubeFollowsItsSeedAndItsFieldsAreShuffledApart) {
  SCOPED_TRACE("seed 7");
  const std::vector<Axis> axes = {axis("a=1:100:lin"), axis("b=1:100:lin")};
  const auto points = latin_hypercube(axes, 30, kDesignSeed);
  EXPECT_EQ(points, latin_hypercube(axes, 30, kDesignSeed));
  EXPECT_NE(points, latin_hypercube(axes, 30, kDesignSeed + 1));
  EXPECT_TRUE(
      std::any_of(points.begin(), points.end(), [](const Settings& p) { return p[0].value != p[1].value; }));
}

TEST(Design, PointsThatRoundingMakesTheSameComeOnce) {
  SCOPED_TRACE("seed 7");
  const auto points = latin_hypercube(std::vector{axis("a=1:3:lin")}, 30, kDesignSeed);
  EXPECT_EQ(points.size(), 3U);
}

}  // namespace
}  // namespace gauntlet
