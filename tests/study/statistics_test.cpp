#include "study/statistics.hpp"

#include "tests/study/results/sample_study.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

Statistics of(const std::vector<double>& values) {
  RunningStatistics running;
  for (const double value : values) running.add(value);
  return running.statistics();
}

TEST(Statistics, AgreeWithHandComputedValues) {
  // 2, 4, 4, 4, 5, 5, 7, 9: mean 40/8 = 5; squared deviations 9+1+1+1+0+0+4+16 = 32, so sd = sqrt(32/7);
  // se = sd/sqrt(8); Student's t at 0.975 with 7 degrees of freedom is 2.364624252 (tables, 10 digits).
  const Statistics eight = of({9, 2, 4, 5, 4, 7, 4, 5});
  EXPECT_EQ(eight.n, 8U);
  EXPECT_NEAR(*eight.mean, 5, 1e-14);
  EXPECT_NEAR(*eight.sd, std::sqrt(32.0 / 7), 1e-14);
  EXPECT_NEAR(*eight.se, std::sqrt(32.0 / 7 / 8), 1e-14);
  EXPECT_NEAR(eight.ci95->high - 5, 2.364624252 * std::sqrt(32.0 / 56), 1e-8);
  EXPECT_NEAR(5 - eight.ci95->low, 2.364624252 * std::sqrt(32.0 / 56), 1e-8);
  // Sorted places are 0 .. 7; p5 at 0.35: 2 + 0.35 * (4 - 2); p50 at 3.5: between 4 and 5; p95 at 6.65: 7 + 0.65 * 2.
  EXPECT_NEAR(*eight.p5, 2.7, 1e-14);
  EXPECT_NEAR(*eight.p50, 4.5, 1e-14);
  EXPECT_NEAR(*eight.p95, 8.3, 1e-14);
}

TEST(Statistics, KeepTheirDigitsFarFromZero) {
  // The textbook formula with sums of squares loses all of them: 1e9 squared is 1e18.
  const Statistics three = of({1e9 + 1, 1e9 + 2, 1e9 + 3});
  EXPECT_DOUBLE_EQ(*three.mean, 1e9 + 2);
  EXPECT_DOUBLE_EQ(*three.sd, 1);
}

TEST(Statistics, OfTooFewValuesAreUnknown) {
  EXPECT_EQ(of({}), Statistics{});
  const Statistics one = of({3});
  EXPECT_EQ(one.n, 1U);
  EXPECT_EQ(one.mean, 3);
  EXPECT_EQ(one.p5, 3);
  EXPECT_EQ(one.p95, 3);
  EXPECT_FALSE(one.sd || one.se || one.ci95);
}

TEST(Statistics, OfAStudyLeaveOutReplicasWithoutTheMetric) {
  StudyStatistics study(sample_facts());
  for (std::uint32_t k = 0; k < 3; ++k) study.add(sample_figures(k));
  const Summary summary = study.summary();
  EXPECT_EQ(summary.replicas, 3U);
  EXPECT_EQ(summary.find("interruptions")->n, 3U);
  EXPECT_NEAR(*summary.mean("interruptions"), 4, 1e-12);  // 3, 4, 5
  // Replica 0 has no failure; 1 and 2 have a mean time of 1,000 s and 500 s.
  EXPECT_EQ(summary.find("mttf_s")->n, 2U);
  EXPECT_NEAR(*summary.mean("mttf_s"), 750, 1e-9);
  EXPECT_EQ(summary.find("no such metric"), nullptr);
}

TEST(Statistics, TheFingerprintDependsOnEveryReplicaAndTheirOrder) {
  const auto print = [](std::initializer_list<std::uint32_t> replicas) {
    StudyStatistics study(sample_facts());
    for (const std::uint32_t k : replicas) study.add(sample_figures(k));
    return study.summary().fingerprint;
  };
  EXPECT_EQ(print({0, 1, 2}), print({0, 1, 2}));
  EXPECT_NE(print({0, 1, 2}), print({0, 2, 1}));
  EXPECT_NE(print({0, 1, 2}), print({0, 1}));
  EXPECT_NE(print({0, 1, 2}), print({0, 1, 1}));
}

}  // namespace
}  // namespace gauntlet
