// Rare events against the Poisson law, where it is exact: on this world the wall time follows from the number of failures alone.
#include "study/tilted.hpp"

#include "tests/study/seeded_study.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kDay = 86'400, kStart = 180, kHalfStep = 1;
constexpr int kDays = 10;  // and as many failures in the mean

/// `more`: settings beside, of faults that change nothing of the wall time.
PointSource poisson_world(std::vector<std::string> more = {}) {
  std::vector<std::string> sets = {"job.steps=" + std::to_string(kDays * 43'200), "storage.free=true",
                                   "storage.stall=0s", "checkpoint.interval=2s",
                                   "faults.crash={ component=\"host\", clock=\"training\", effect=\"crash\", "
                                   "remedy=\"restart\", log=\"crashed\", "
                                   "rate={ count=7, over=\"7d x 8 hosts\" } }"};
  sets.insert(sets.end(), more.begin(), more.end());
  return {"one-fault", sets, 1};
}

/// Seconds that a run with so many failures takes.
double wall(double failures) { return kDays * kDay + kStart + failures * (kStart + kHalfStep); }

/// P(N >= k), N Poisson.
double at_least(int k, double mean) {
  double term = std::exp(-mean), below = 0;
  for (int i = 0; i < k; ++i) {
    below += term;
    term *= mean / (i + 1);
  }
  return 1 - below;
}

std::function<bool(const Figures&)> later_than(double seconds) {
  return [seconds](const Figures& figures) { return to_seconds(figures.wall) > seconds; };
}

std::shared_ptr<const Point> loaded(const PointSource& source) {
  LoadedPoint point = source.point();
  EXPECT_TRUE(point.point);
  return point.point;
}

TEST(Tilted, TheProbabilityOfManyFailuresIsPoissons) {
  const PointSource source = poisson_world();
  SeededStudy of(source, 1);
  for (const int failures : {18, 22, 26}) {
    const double exact = at_least(failures, kDays);
    const PointNumber point = of.experiment.add(tilted(*loaded(source), failures / double{kDays}));
    ASSERT_TRUE(of.experiment.ensure({&point, 1}, 1000));
    const RareShare rare = rare_share(of.experiment, point, 0, 1000, later_than(wall(failures - 0.5)));
    EXPECT_LT(std::abs(rare.share - exact), 4 * rare.se)
        << failures << ": " << rare.share << " and " << exact;
    EXPECT_LT(rare.se, 0.1 * exact)
        << failures;  // 2.7 / sqrt(1000) or so; plain replicas would be 100 / exact
    EXPECT_GT(rare.hits, 300U);
    EXPECT_DOUBLE_EQ(rare.tilt, failures / double{kDays});
  }
}

TEST(Tilted, IntervalsHoldTheProbability) {
  constexpr int kFailures = 22, kStudies = 300;
  constexpr std::uint32_t kRuns = 200;
  const PointSource source = poisson_world();
  const auto point = tilted(*loaded(source), 2.2);
  const double exact = at_least(kFailures, kDays);
  int held = 0;
  for (int study = 0; study < kStudies; ++study) {
    SeededStudy of(source, 100 + static_cast<std::uint64_t>(study));
    const PointNumber number = of.experiment.add(point);
    ASSERT_TRUE(of.experiment.ensure({&number, 1}, kRuns));
    const RareShare rare = rare_share(of.experiment, number, 0, kRuns, later_than(wall(kFailures - 0.5)));
    ASSERT_TRUE(rare.ci95);
    held += rare.ci95->low <= exact && exact <= rare.ci95->high ? 1 : 0;
  }
  // 4 standard errors of 95%: 5 points.
  EXPECT_NEAR(held / double{kStudies}, 0.95, 0.05);
}

TEST(Tilted, TheTiltMovesTheMeanToWhereItWasAskedFor) {
  const PointSource source = poisson_world();
  SeededStudy of(source, 1);
  const PointNumber point = of.experiment.add(loaded(source));
  ASSERT_TRUE(of.experiment.ensure({&point, 1}, 400));
  const auto seconds = [](const Figures& figures) { return to_seconds(figures.wall); };
  const double tilt = tilt_that_moves(of.experiment, point, 400, seconds, wall(20) - wall(kDays));
  EXPECT_NEAR(tilt, 2, 0.3);  // the variance of 400 counts is known to 7%
  EXPECT_EQ(tilt_that_moves(of.experiment, point, 400, seconds, 1e9), kMostTilt);
  EXPECT_EQ(tilt_that_moves(
                of.experiment, point, 400, [](const Figures&) { return 1.0; }, 5),
            1);
}

TEST(Tilted, AWeightIsOneInTheMean) {
  const PointSource source = poisson_world();
  SeededStudy of(source, 1);
  const PointNumber point = of.experiment.add(tilted(*loaded(source), 1.2));
  ASSERT_TRUE(of.experiment.ensure({&point, 1}, 2000));
  const RareShare all = rare_share(of.experiment, point, 0, 2000, [](const Figures&) { return true; });
  EXPECT_LT(std::abs(all.share - 1), 4 * all.se) << all.share;
  EXPECT_GT(all.se, 0.001);
}

TEST(Tilted, OnlyExponentialLivesAreTilted) {
  const PointSource source =
      poisson_world({"faults.old={ component=\"host\", effect=\"none\", remedy=\"restart\", mtbf=\"30d\", "
                     "law={ name=\"weibull\", shape=2 } }"});
  const auto point = loaded(source);
  EXPECT_TRUE(can_be_tilted(*point));
  const auto more = tilted(*point, 3);
  for (const FaultKind& kind : more->scenario.world.faults)
    EXPECT_EQ(kind.tilt, kind.name == "crash" ? 3 : 1) << kind.name;
  EXPECT_NE(more->text, point->text);
}

}  // namespace
}  // namespace gauntlet
