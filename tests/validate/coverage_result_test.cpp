// What a table of coverage judges, and when it fails.
#include "commands/validate/coverage/result.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace gauntlet {
namespace {

IntervalCount held(std::uint32_t covered, std::uint32_t given) {
  IntervalCount count;
  count.given = given;
  count.covered = covered;
  count.width = given;
  return count;
}

CoveredMetric metric(std::uint32_t covered, std::uint32_t given) {
  CoveredMetric of;
  of.name = "ettr";
  of.controlled = held(covered, given);
  return of;
}

CoveredFigure figure(std::uint32_t covered, std::uint32_t given) {
  CoveredFigure of;
  of.name = "wall_time_s";
  of.count = held(covered, given);
  return of;
}

/// Of `repetitions`, and a tenth as many with parameter uncertainty.
CoverageResult result(std::uint32_t repetitions) {
  CoverageResult of;
  of.replicas = 20;
  of.repetitions = repetitions;
  of.uncertain.repetitions = repetitions / 10;
  of.scenarios.push_back({});
  return of;
}

// 4 standard errors of 95%: 4.4 points of 400 repetitions, 13.8 of 40.
TEST(CoverageResult, FailsWhereIntervalsAreTooNarrowOrTooWide) {
  const auto holds = [](std::uint32_t covered, std::uint32_t with_uncertainty) {
    CoverageResult of = result(400);
    of.scenarios.front().metrics = {metric(covered, 400)};
    of.scenarios.front().with_uncertainty = {figure(with_uncertainty, 40)};
    return of.holds();
  };
  EXPECT_TRUE(holds(380, 38));
  EXPECT_TRUE(holds(363, 33));
  EXPECT_FALSE(holds(362, 38));
  EXPECT_FALSE(holds(398, 38));
  EXPECT_FALSE(holds(380, 32));
}

TEST(CoverageResult, JudgesNothingByTooFewRepetitions) {
  for (const std::uint32_t repetitions : {190U, 200U}) {
    CoverageResult of = result(repetitions);
    of.scenarios.front().metrics = {metric(repetitions * 19 / 20, repetitions)};
    of.scenarios.front().with_uncertainty = {figure(0, of.uncertain.repetitions)};
    EXPECT_EQ(of.judged_with_uncertainty().metrics, repetitions == 200 ? 1U : 0U);
    EXPECT_EQ(of.holds(), repetitions == 190);
  }
  CoverageResult few = result(19);
  few.scenarios.front().metrics = {metric(18, 19)};
  EXPECT_EQ(few.judged().metrics, 0U);
  EXPECT_FALSE(few.holds()) << "nothing was judged";
}

}  // namespace
}  // namespace gauntlet
