// Exact intervals of shares: published values, and their coverage, which is computed and not sampled.
#include "study/binomial.hpp"

#include "study/paired.hpp"
#include "study/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

namespace gauntlet {
namespace {

constexpr double kRounding = 1e-12;

TEST(ClopperPearson, AgreesWithPublishedValues) {
  // Of nothing in n: 1 - (0.025)^(1/n), in closed form. Of 1 in 10 and 5 in 10: Documenta Geigy, Scientific Tables, 7th ed., 1970.
  EXPECT_EQ(clopper_pearson(0, 20, 0.95).low, 0);
  EXPECT_NEAR(clopper_pearson(0, 20, 0.95).high, 1 - std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_NEAR(clopper_pearson(20, 20, 0.95).low, std::pow(0.025, 1.0 / 20), 1e-12);
  EXPECT_NEAR(clopper_pearson(1, 10, 0.95).low, 0.0025, 5e-5);
  EXPECT_NEAR(clopper_pearson(1, 10, 0.95).high, 0.4450, 5e-5);
  EXPECT_NEAR(clopper_pearson(5, 10, 0.95).low, 0.1871, 5e-5);
  EXPECT_NEAR(clopper_pearson(5, 10, 0.95).high, 0.8129, 5e-5);
}

/// log n! of 0 to `most`.
std::vector<double> log_factorials(int most) {
  std::vector<double> out = {0};
  for (int i = 1; i <= most; ++i) out.push_back(out.back() + std::log(i));
  return out;
}

double power(double p, int n) { return n == 0 ? 1 : std::pow(p, n); }

/// `runs` of which `hits` did it, as a study sums them up.
Interval of_study(int hits, int runs) {
  MetricStatistics statistics;
  for (int i = 0; i < runs; ++i) statistics.add({i < hits ? 1.0 : 0.0, 1});
  return *statistics.statistics(Worse::high, RunValue::happened).ci95;
}

TEST(ClopperPearson, IntervalsOfAStudyCoverEveryProbability) {
  for (const int n : {5, 8, 20, 50, 200}) {
    const std::vector<double> logs = log_factorials(n);
    std::vector<Interval> intervals;
    for (int hits = 0; hits <= n; ++hits) intervals.push_back(of_study(hits, n));
    double least = 1;
    for (int i = 0; i <= 1000; ++i) {
      const double p = i / 1000.0;
      double covered = 0;
      for (int hits = 0; hits <= n; ++hits) {
        const Interval& of = intervals[static_cast<std::size_t>(hits)];
        if (p < of.low - kRounding || p > of.high + kRounding) continue;
        const auto k = static_cast<std::size_t>(hits), all = static_cast<std::size_t>(n);
        covered += std::exp(logs[all] - logs[k] - logs[all - k]) * power(p, hits) * power(1 - p, n - hits);
      }
      least = std::min(least, covered);
      ASSERT_GE(covered, 0.95) << "p = " << p << " of " << n;
    }
    std::printf("%d runs: %.4f of the intervals hold the probability at least\n", n, least);
    EXPECT_LT(least, n < 10 ? 0.999 : 0.98) << "not wider than exact ones are";
  }
}

/// As a comparison sums up `pairs` replicas.
PairedDifference of_pairs(int first_only, int second_only, int pairs) {
  std::vector<Fraction> first, second;
  for (int i = 0; i < pairs; ++i) {
    first.push_back({i < first_only ? 1.0 : 0.0, 1});
    second.push_back({i >= first_only && i < first_only + second_only ? 1.0 : 0.0, 1});
  }
  return paired_difference(first, second, RunValue::happened);
}

TEST(PairedShares, IntervalsCoverEveryPairOfProbabilities) {
  constexpr double kGrid[] = {0,   0.001, 0.003, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2,
                              0.3, 0.4,   0.5,   0.6,  0.7,  0.8,  0.9, 0.95, 1};
  for (const int n : {5, 9, 12, 20, 40}) {
    const std::vector<double> logs = log_factorials(n);
    const auto log_of = [&](int k) { return logs[static_cast<std::size_t>(k)]; };
    std::vector<std::vector<Interval>> intervals(static_cast<std::size_t>(n) + 1);
    for (int a = 0; a <= n; ++a)
      for (int b = 0; a + b <= n; ++b)
        intervals[static_cast<std::size_t>(a)].push_back(*of_pairs(a, b, n).ci95);
    double least = 1;
    for (const double p : kGrid)
      for (const double q : kGrid) {
        if (p + q > 1 + kRounding) continue;
        const double rest = std::max(0.0, 1 - p - q);
        double covered = 0;
        for (int a = 0; a <= n; ++a)
          for (int b = 0; a + b <= n; ++b) {
            const Interval& of = intervals[static_cast<std::size_t>(a)][static_cast<std::size_t>(b)];
            if (q - p < of.low - kRounding || q - p > of.high + kRounding) continue;
            covered += std::exp(log_of(n) - log_of(a) - log_of(b) - log_of(n - a - b)) * power(p, a) *
                       power(q, b) * power(rest, n - a - b);
          }
        least = std::min(least, covered);
        ASSERT_GE(covered, 0.95) << p << " and " << q << " of " << n;
      }
    std::printf("%d pairs: %.4f of the intervals hold the difference at least\n", n, least);
    EXPECT_LT(least, 0.985);
  }
}

TEST(PairedShares, OfPairsThatDoNotDifferAreNotCertain) {
  // Each of the two shares is nothing of 20: 0 to 16.8%.
  const PairedDifference none = of_pairs(0, 0, 20);
  EXPECT_EQ(*none.difference, 0);
  EXPECT_EQ(*none.se, 0);
  EXPECT_NEAR(none.ci95->high, 0.1684, 1e-4);
  EXPECT_NEAR(none.ci95->low, -none.ci95->high, 1e-12);
  // Of an amount, equal values of all pairs are certain.
  const std::vector<Fraction> same(20, Fraction{0, 1});
  EXPECT_EQ(paired_difference(same, same).ci95, (Interval{0, 0}));
  // Where every pair differs, the difference is 2 P - 1, so that the interval is that of P.
  const PairedDifference all = of_pairs(3, 17, 20);
  EXPECT_NEAR(all.ci95->low, 2 * clopper_pearson(17, 20, 0.95).low - 1, 1e-9);
  EXPECT_NEAR(all.ci95->high, 2 * clopper_pearson(17, 20, 0.95).high - 1, 1e-9);
  EXPECT_FALSE(of_pairs(0, 1, 4).ci95) << "too few for an interval";
  // Of many runs it is that of independent normal shares, but for 5%.
  const PairedDifference many = of_pairs(300, 500, 10'000);
  EXPECT_NEAR((many.ci95->high - many.ci95->low) / 2, 1.96 * std::sqrt(0.08 - 0.02 * 0.02) / 100, 0.0003);
}

}  // namespace
}  // namespace gauntlet
