// The intervals of every study hold the truth: 40 repetitions of each (interval_coverage.hpp).
//
// Of 40 intervals of 95%, fewer than 34 hold it with probability 0.34%; of 40 that hold it in 70% of cases, as those with
// parameter uncertainty did while all draws met the same eight replicas, 34 or more do with probability 2.4%. The seeds are
// fixed. That intervals are not too wide takes more repetitions: interval_coverage_long_test.cpp.
#include "tests/commands/interval_coverage.hpp"

#include <gtest/gtest.h>

namespace gauntlet::coverage {
namespace {

constexpr std::uint32_t kRepetitions = 40, kFewest = 34, kMost = 40;

void expect_few(const Coverages& of) { expect_coverage(of, kRepetitions, kFewest, kMost); }

TEST(IntervalCoverage, OfRun) { expect_few(coverage_of_run(kRepetitions)); }
TEST(IntervalCoverage, OfCompare) { expect_few(coverage_of_compare(kRepetitions)); }
TEST(IntervalCoverage, OfSweep) { expect_few(coverage_of_sweep(kRepetitions)); }
TEST(IntervalCoverage, OfPlan) { expect_few(coverage_of_plan(kRepetitions)); }
TEST(IntervalCoverage, OfScale) { expect_few(coverage_of_scale(kRepetitions)); }
TEST(IntervalCoverage, OfRank) { expect_few(coverage_of_rank(kRepetitions)); }
TEST(IntervalCoverage, OfARankThatStops) { expect_few(coverage_of_rank_that_stops(kRepetitions)); }
TEST(IntervalCoverage, OfAQuantilesChange) { expect_few(coverage_of_quantile_change(kRepetitions)); }
TEST(IntervalCoverage, OfPercentilesOverDraws) { expect_few(coverage_of_drawn_percentiles(kRepetitions)); }
TEST(IntervalCoverage, OfPlanWithParameterUncertainty) {
  expect_few(coverage_of_uncertainty(kRepetitions, 30));
}

}  // namespace
}  // namespace gauntlet::coverage
