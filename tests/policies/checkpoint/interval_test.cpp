#include "policies/checkpoint/interval.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

// Results are whole nanoseconds, so that they are off by half a nanosecond at most; the arithmetic before that is off by
// a few of the last of 53 bits of some 100 s, 1e-5 ns.
constexpr double kHalfNanosecond = 0.5e-9 + 1e-14;

struct Point {
  double cost, mtbf;  // seconds
  double interval;    // seconds, worked out with 50 digits from the formula
};

// sqrt(2 C M) for C = 1, M = 185.
TEST(YoungInterval, IsTheSquareRootOfTwiceCostTimesMtbf) {
  EXPECT_NEAR(to_seconds(young_interval(1s, 185s)), 19.235384061671343, kHalfNanosecond);
  EXPECT_EQ(young_interval(20s, 1000s), 200s);  // sqrt(40,000)
  EXPECT_EQ(young_interval(0s, 1000s), 0s);
}

TEST(DalyInterval, IsTheHigherOrderFormula) {
  for (const Point& point : {Point{1, 185, 18.57449378661479}, Point{5, 110, 29.916667721492267},
                             Point{5, 13.8, 8.650466938570382}}) {
    const Duration interval = daly_interval(from_seconds(point.cost), from_seconds(point.mtbf));
    EXPECT_NEAR(to_seconds(interval), point.interval, kHalfNanosecond)
        << "C=" << point.cost << ", M=" << point.mtbf;
  }
}

// Beyond that the formula would fall: at C = 2M it gives 2M (1 + 1/3 + 1/9) - 2M = 8M/9.
TEST(DalyInterval, IsTheMtbfWhereACheckpointCostsTwiceAsMuchOrMore) {
  EXPECT_EQ(daly_interval(20s, 10s), 10s);
  EXPECT_EQ(daly_interval(500s, 10s), 10s);
  EXPECT_NEAR(to_seconds(daly_interval(20s - 1ns, 10s)), 80.0 / 9, 2e-9);
}

// daly / young = 1 + sqrt(C / 2M) / 3 + (C / 2M) / 9 - sqrt(C / 2M), with C / 2M = 1e-8: below by 2/3 of 1e-4.
TEST(DalyInterval, NearsYoungsWhereCheckpointsAreCheap) {
  const double ratio =
      to_seconds(daly_interval(2s, 100'000'000s)) / to_seconds(young_interval(2s, 100'000'000s));
  EXPECT_NEAR(ratio, 1 - 2e-4 / 3 + 1e-8 / 9, 1e-12);
}

// The t with log(1 - t/M) + t/M + C/M = 0, bisected with 60 digits; 1e-12 is what rounding of exp(-1 - C/M) leaves.
TEST(ExactInterval, IsWhereTheExactMeanTimeIsLeast) {
  for (const Point& point : {Point{1, 185, 18.574574372715681}, Point{5, 110, 29.920092642086260},
                             Point{5, 13.8, 8.6782917126519903}, Point{60, 86400, 3180.0627323063683},
                             Point{200, 10, 9.9999999924174196}}) {
    const Duration interval = exact_interval(from_seconds(point.cost), from_seconds(point.mtbf));
    EXPECT_NEAR(to_seconds(interval), point.interval, kHalfNanosecond + 1e-12 * point.interval)
        << "C=" << point.cost << ", M=" << point.mtbf;
  }
  EXPECT_NEAR(to_seconds(exact_interval(0s, 1000s)), 0, 1e-4);  // where W has its branch point, to 1e-8 of M
}

}  // namespace
}  // namespace gauntlet
