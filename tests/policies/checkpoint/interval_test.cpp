#include "policies/checkpoint/interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

// --- two levels ----------------------------------------------------------------------------------------------------------

/// The facts' point: 0.1 s to memory, 5 s to storage; a failure every 200 s and one in 2,000 s that needs storage.
constexpr TwoLevels kListed{
    .quick_cost = 0.1, .storage_cost = 5, .quick_rate = 1.0 / 200, .storage_rate = 1.0 / 2000};

// Solved by recursion over the segments (mean time from each to the end of the period) with 40 digits. 1e-12: rounding.
TEST(TwoLevelEfficiency, IsExact) {
  EXPECT_NEAR(two_level_efficiency(kListed, {6400ms, 22}), 0.900973671298676, 1e-12);
  EXPECT_NEAR(two_level_efficiency(kListed, {100s, 1}), 0.703703736092741, 1e-12);
  // Without failures of the first level it is the one-level formula, for all that lies between two in storage.
  EXPECT_NEAR(two_level_efficiency({.quick_cost = 10, .storage_cost = 20, .storage_rate = 0.01}, {50s, 3}),
              0.263810736415765, 1e-12);
  // Failures every 430 s, and 7 x 1,000 s between two in storage.
  const TwoLevels hopeless{
      .quick_cost = 30, .storage_cost = 300, .quick_rate = 1.0 / 500, .storage_rate = 1.0 / 3000};
  EXPECT_NEAR(two_level_efficiency(hopeless, {1000s, 7}), 0.00291571519386555, 1e-14);
}

// The listed efficiency, 0.9006, comes from a simulation of the plan to first order: W = sqrt(2 (22 C1 + C2) / (l1 / 22 + l2))
// = 140.71 s in 22 segments, the last closed by storage alone, restarts free. It states no error; 5e-4 is that of some
// 1e6 s of such a run, and less than the 7e-4 by which a last segment closed by both checkpoints would differ.
TEST(TwoLevelEfficiency, IsTheListedOne) {
  EXPECT_NEAR(two_level_efficiency(kListed, {from_seconds(140.71247 / 22), 22}), 0.9006, 5e-4);
}

// The best of n = 21, 22 and 23 are 0.901028, 0.901066 and 0.901061.
TEST(TwoLevelOptimum, HasTheHighestEfficiency) {
  const TwoLevelPlan best = two_level_optimum(kListed, 1ns);
  EXPECT_EQ(best.segments, 22U);
  EXPECT_NEAR(to_seconds(best.segment), 6.117042524559602, 1e-8);
  EXPECT_NEAR(two_level_efficiency(kListed, best), 0.901065946558596, 1e-12);
}

// No plan nearby is better, over costs and rates of every kind: what the search promises.
TEST(TwoLevelOptimum, IsBetterThanItsNeighbours) {
  for (const double quick_cost : {0.0, 0.01, 3.0, 50.0}) {
    for (const double storage_cost : {1.0, 60.0, 1000.0}) {
      for (const double quick_rate : {0.0, 1e-6, 1e-4, 1e-2}) {
        for (const double storage_rate : {1e-7, 1e-4, 1e-3}) {
          const TwoLevels levels{.quick_cost = quick_cost,
                                 .storage_cost = storage_cost,
                                 .quick_rate = quick_rate,
                                 .storage_rate = storage_rate};
          const TwoLevelPlan best = two_level_optimum(levels, 1s);
          SCOPED_TRACE(testing::Message()
                       << quick_cost << " " << storage_cost << " " << quick_rate << " " << storage_rate
                       << ": " << best.segments << " x " << to_seconds(best.segment));
          EXPECT_GE(best.segment, 1s);
          const double reached = two_level_efficiency(levels, best) * (1 + 1e-9);
          for (const double stretch : {0.97, 1.03}) {
            const Duration other = std::max(1s + 0ns, from_seconds(to_seconds(best.segment) * stretch));
            EXPECT_LE(two_level_efficiency(levels, {other, best.segments}), reached);
            EXPECT_LE(two_level_efficiency(levels, {other, best.segments + 1}), reached);
            if (best.segments > 1) {
              EXPECT_LE(two_level_efficiency(levels, {other, best.segments - 1}), reached);
            }
          }
        }
      }
    }
  }
}

// One level alone: segments of one period are as long as the exact optimum says.
TEST(TwoLevelOptimum, IsTheExactIntervalWhereMemoryOutlivesNothing) {
  const TwoLevelPlan best =
      two_level_optimum({.quick_cost = 1, .storage_cost = 5, .storage_rate = 1.0 / 110}, 1ns);
  EXPECT_EQ(best.segments, 1U);
  EXPECT_NEAR(to_seconds(best.segment), to_seconds(exact_interval(5s, 110s)), 1e-8);
}

}  // namespace
}  // namespace gauntlet
