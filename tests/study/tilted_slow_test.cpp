// How often the intervals of rare events hold: minutes under a sanitizer.
#include "study/tilted.hpp"

#include "study/statistics.hpp"
#include "tests/study/tilted_world.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

using namespace tilted_world;

TEST(Tilted, IntervalsHoldTheProbability) {
  constexpr int kFailures = 22, kStudies = 150;
  const double exact = at_least(kFailures, kDays);
  int held = 0;
  for (int study = 0; study < kStudies; ++study) {
    const RareShare rare = TiltedStudy(poisson_world(), 100 + static_cast<std::uint64_t>(study), 2.2, 200)
                               .later(wall(kFailures - 0.5));
    ASSERT_TRUE(rare.ci95);
    held += rare.ci95->low <= exact && exact <= rare.ci95->high ? 1 : 0;
  }
  // 3 standard errors of 95%: 5 points.
  EXPECT_NEAR(held / double{kStudies}, 0.95, 0.05);
}

// Runs are late by long starts more than by many failures, and a kind that delays nobody strikes all the time.
TEST(Tilted, OtherReasonsToBeLateCountAsTheyAre) {
  const PointSource source = poisson_world(
      {"job.start.warm_up={ name=\"exponential\", mean=\"1h\" }",
       "faults.noise={ component=\"host\", effect=\"none\", remedy=\"restart\", mtbf=\"1d\" }"});
  constexpr std::uint32_t kMany = 20'000;
  SeededStudy many(source, 7);
  const PointNumber point = many.experiment.add(loaded(source));
  ASSERT_TRUE(many.experiment.ensure({&point, 1}, kMany));
  std::vector<double> walls;
  many.experiment.visit(point, kMany, [&](std::uint32_t, const Figures& figures) {
    walls.push_back(to_seconds(figures.wall));
  });
  std::sort(walls.begin(), walls.end());
  constexpr double kLate = 0.01;
  const double date = quantile(walls, 1 - kLate);

  constexpr int kStudies = 20;
  int given = 0, held = 0;
  double sum = 0;
  for (int study = 0; study < kStudies; ++study) {
    const RareShare rare =
        TiltedStudy(source, 1000 + static_cast<std::uint64_t>(study), 1.8, 1500).later(date);
    sum += rare.share;
    if (!rare.ci95) continue;
    ++given;
    held += rare.ci95->low <= kLate && kLate <= rare.ci95->high ? 1 : 0;
  }
  EXPECT_NEAR(sum / kStudies, kLate, 0.001);
  EXPECT_GT(given, kStudies / 2);
  EXPECT_GE(held, 0.8 * given) << given;
  // So few of these runs tell too little.
  EXPECT_FALSE(TiltedStudy(source, 1, 1.8, 100).later(date).ci95);
}

}  // namespace
}  // namespace gauntlet
