// The intervals of every study hold the truth as often as they say: 200 repetitions of each (interval_coverage.hpp), of which
// 182 to 196 (91 to 98%) are to hold it. Of intervals of 95%, fewer do with probability 0.6% and more with 0.9%.
#include "tests/commands/interval_coverage.hpp"

#include <gtest/gtest.h>

namespace gauntlet::coverage {
namespace {

constexpr std::uint32_t kRepetitions = 200, kFewest = 182, kMost = 196;

void expect_many(const Coverages& of) { expect_coverage(of, kRepetitions, kFewest, kMost); }

TEST(IntervalCoverage, OfRun) { expect_many(coverage_of_run(kRepetitions)); }
TEST(IntervalCoverage, OfCompare) { expect_many(coverage_of_compare(kRepetitions)); }
TEST(IntervalCoverage, OfSweep) { expect_many(coverage_of_sweep(kRepetitions)); }
TEST(IntervalCoverage, OfTune) { expect_many(coverage_of_tune(kRepetitions)); }
TEST(IntervalCoverage, OfPlan) { expect_many(coverage_of_plan(kRepetitions)); }
TEST(IntervalCoverage, OfScale) { expect_many(coverage_of_scale(kRepetitions)); }
TEST(IntervalCoverage, OfRank) { expect_many(coverage_of_rank(kRepetitions)); }
TEST(IntervalCoverage, OfARankThatStops) {  // at 99% for each of five looks
  expect_coverage(coverage_of_rank_that_stops(kRepetitions), kRepetitions, kFewest, kRepetitions);
}
TEST(IntervalCoverage, OfAQuantilesChange) { expect_many(coverage_of_quantile_change(kRepetitions)); }
// Between order statistics: 95% or more.
TEST(IntervalCoverage, OfPercentilesOverDraws) {
  expect_coverage(coverage_of_drawn_percentiles(kRepetitions), kRepetitions, kFewest, kRepetitions - 1);
}
TEST(IntervalCoverage, OfPlanWithParameterUncertainty) {
  expect_many(coverage_of_uncertainty(kRepetitions, 200));
}

}  // namespace
}  // namespace gauntlet::coverage
