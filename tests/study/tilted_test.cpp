// Rare events against the Poisson law, where it is exact: on this world the wall time follows from the number of failures alone.
#include "study/tilted.hpp"

#include "study/statistics.hpp"
#include "tests/study/seeded_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// A study of a point and of the same one tilted.
struct TiltedStudy {
  TiltedStudy(const PointSource& source, std::uint64_t seed, double tilt, std::uint32_t count)
      : of(source, seed),
        runs(count),
        plain(of.experiment.add(loaded(source))),
        more(of.experiment.add(tilted(*loaded(source), tilt))) {
    EXPECT_TRUE(of.experiment.ensure(std::vector{plain, more}, count));
  }
  RareShare later(double seconds) const {
    return rare_share(of.experiment, plain, more, 0, runs, later_than(seconds));
  }

  SeededStudy of;
  std::uint32_t runs;
  PointNumber plain, more;
};

TEST(Tilted, TheProbabilityOfManyFailuresIsPoissons) {
  for (const int failures : {18, 22, 26}) {
    const double exact = at_least(failures, kDays);
    const RareShare rare =
        TiltedStudy(poisson_world(), 1, failures / double{kDays}, 1000).later(wall(failures - 0.5));
    EXPECT_LT(std::abs(rare.share - exact), 4 * rare.se)
        << failures << ": " << rare.share << " and " << exact;
    EXPECT_LT(rare.se, 0.15 * exact) << failures;  // of plain replicas it takes 44 / exact for that
    EXPECT_GT(rare.hits, 300U);
    EXPECT_EQ(rare.runs, 2000U);
  }
}

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
  const TiltedStudy study(poisson_world(), 1, 1.2, 2000);
  const RareShare all =
      rare_share(study.of.experiment, study.plain, study.more, 0, 2000, [](const Figures&) { return true; });
  EXPECT_GT(all.share, 1 - 4 * all.se);
  EXPECT_GT(all.se, 0.0005);
  const RareShare none =
      rare_share(study.of.experiment, study.plain, study.more, 0, 0, [](const Figures&) { return true; });
  EXPECT_EQ(none.runs, 0U);
  EXPECT_FALSE(none.ci95);
  const RareShare never =
      rare_share(study.of.experiment, study.plain, study.more, 0, 2000, [](const Figures&) { return false; });
  EXPECT_EQ(never.share, 0);
  EXPECT_FALSE(never.ci95) << "that no run was a hit says nothing of weighted runs";
}

TEST(Tilted, OnlyStopsOfExponentialLivesAreTilted) {
  const PointSource source = poisson_world(
      {"faults.old={ component=\"host\", effect=\"crash\", remedy=\"restart\", log=\"crashed\", "
       "mtbf=\"900d\", law={ "
       "name=\"weibull\", shape=2 } }",
       "faults.noise={ component=\"host\", effect=\"none\", remedy=\"restart\", mtbf=\"1d\" }"});
  const auto point = loaded(source);
  const auto more = tilted(*point, 3);
  for (const FaultKind& kind : more->scenario.world.faults)
    EXPECT_EQ(kind.tilt, kind.name == "crash" ? 3 : 1) << kind.name;
  EXPECT_NE(more->text, point->text);
  EXPECT_EQ(more->tilt, 3);
}

}  // namespace
}  // namespace gauntlet
