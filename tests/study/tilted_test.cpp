// Rare events against the Poisson law, where it is exact: on this world the wall time follows from the number of failures alone.
#include "study/tilted.hpp"

#include "tests/study/tilted_world.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

using namespace tilted_world;

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
      rare_share(study.of.experiment, study.plain, study.more, 2000, [](const Figures&) { return true; });
  EXPECT_GT(all.share, 1 - 4 * all.se);
  EXPECT_GT(all.se, 0.0005);
  const RareShare none =
      rare_share(study.of.experiment, study.plain, study.more, 0, [](const Figures&) { return true; });
  EXPECT_EQ(none.runs, 0U);
  EXPECT_FALSE(none.ci95);
  const RareShare never =
      rare_share(study.of.experiment, study.plain, study.more, 2000, [](const Figures&) { return false; });
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
