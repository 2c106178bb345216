// The interval of the best value that tune prints holds it: 40 repetitions. The band is that of interval_coverage_slow_test.cpp.
#include "tests/commands/interval_coverage.hpp"

#include <gtest/gtest.h>

namespace gauntlet::coverage {
namespace {

TEST(IntervalCoverage, OfTune) { expect_coverage(coverage_of_tune(40), 40, 34, 40); }

}  // namespace
}  // namespace gauntlet::coverage
