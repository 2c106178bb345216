#include "study/statistics.hpp"

#include "tests/study/store/random_figures.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace gauntlet {
namespace {

Statistics of(const std::vector<double>& values) {
  MetricStatistics metric;
  for (const double value : values) metric.add({.numerator = value, .denominator = 1});
  return metric.statistics();
}

Statistics of_ratio(const std::vector<Fraction>& fractions) {
  MetricStatistics metric;
  for (const Fraction& fraction : fractions) metric.add(fraction);
  return metric.statistics();
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
  EXPECT_FALSE(of({1, 2, 3, 4}).ci95);
  EXPECT_TRUE(of({1, 2, 3, 4}).se);
  EXPECT_TRUE(of({1, 2, 3, 4, 5}).ci95);
}

TEST(Statistics, OfARatioAreThoseOfItsTotals) {
  // (2 + 3 + 3 + 4 + 0) / (4 + 4 + 8 + 8 + 0) = 0.5, where the mean of the four ratios is 0.53125. The mean denominator
  // is 4.8, the residuals (0, 1, -1, 0, 0) / 4.8, so sd = sqrt(2 / 4) / 4.8 and se = sd / sqrt(5); Student's t at 0.975
  // with 4 degrees of freedom is 2.776445105. The fifth has no value of its own: 0.375, 0.5, 0.5, 0.75 have p50 0.5.
  const Statistics four = of_ratio({{2, 4}, {3, 4}, {3, 8}, {4, 8}, {0, 0}});
  EXPECT_EQ(four.n, 4U);
  EXPECT_NEAR(*four.mean, 0.5, 1e-15);
  EXPECT_NEAR(*four.sd, std::sqrt(0.5) / 4.8, 1e-15);
  EXPECT_NEAR(*four.se, std::sqrt(0.1) / 4.8, 1e-15);
  EXPECT_NEAR(*four.p50, 0.5, 1e-15);
  EXPECT_FALSE(four.ci95) << "four values of their own are too few";
  const Statistics five = of_ratio({{2, 4}, {3, 4}, {3, 8}, {4, 8}, {0.5, 1}});
  EXPECT_NEAR((five.ci95->high - five.ci95->low) / 2, 2.776445105 * *five.se, 1e-9);
}

TEST(Statistics, OfARatioWithoutAnyDenominatorAreUnknown) {
  EXPECT_EQ(of_ratio({{3600, 0}, {3600, 0}}), Statistics{});
  EXPECT_EQ(of_ratio({{3600, 0}, {3600, 2}}).mean, 3600) << "the time without a failure counts";
}

TEST(Statistics, TheIntervalOfARatioCoversItsTruth) {
  // Wall time w = 10 + 10 u and effective time w (1 - 0.1 v) - 0.5 w^2 / 100 x v with independent u, v uniform on [0, 1]:
  // the share falls with w, so that the mean of ratios is wrong. E w = 15, E w^2 = 225 + 100/12, E v = 1/2, so the truth
  // is (15 x 0.95 - 0.0025 E w^2) / 15. A 95% interval misses 5% of 2,000 studies, give or take 3 x 0.49% and as much
  // for the delta method at 30 replicas.
  const double truth = (15 * 0.95 - 0.0025 * (225 + 100.0 / 12)) / 15;
  std::uint64_t state = 1;  // repeats it
  const auto uniform = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX constants
    return static_cast<double>(state >> 11) * 0x1p-53;
  };
  int covered = 0;
  for (int study = 0; study < 2000; ++study) {
    MetricStatistics ettr;
    for (int replica = 0; replica < 30; ++replica) {
      const double w = 10 + 10 * uniform(), v = uniform();
      ettr.add({.numerator = w * (1 - 0.1 * v) - 0.005 * w * w * v, .denominator = w});
    }
    const Interval interval = *ettr.statistics().ci95;
    covered += interval.low <= truth && truth <= interval.high;
  }
  EXPECT_GT(covered, 0.92 * 2000);
  EXPECT_LT(covered, 0.98 * 2000);
}

TEST(Statistics, EttrAndTheSharesOfTheLossesAddUpWhateverTheWallTimes) {
  std::uint64_t state = 7;  // repeats it
  std::vector<Figures> replicas;
  for (std::uint32_t k = 0; k < 50; ++k) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    Figures figures = sample_figures(k);
    const Duration more = std::chrono::seconds(state >> 48);  // up to 18 hours
    at(figures.phases, Phase::restarting) += more;
    at(figures.lost.back(), Phase::restarting) += more;
    figures.wall += more;
    replicas.push_back(figures);
  }
  const Summary summary = summarize(sample_facts(), replicas);
  const double wall = *summary.mean("wall_time_s");
  double by_phase = *summary.mean("ettr"), by_cause = by_phase;
  for (const NamedStatistics& metric : summary.metrics) {
    if (metric.name.starts_with("lost_s.by_cause.")) {
      by_cause += *metric.statistics.mean / wall;
    } else if (metric.name.starts_with("lost_s.")) {
      by_phase += *metric.statistics.mean / wall;
    }
  }
  EXPECT_NEAR(by_phase, 1, 1e-12);
  EXPECT_NEAR(by_cause, 1, 1e-12);
  EXPECT_NEAR(*summary.mean("cost.lost"), *summary.mean("cost") * (1 - *summary.mean("ettr")),
              1e-12 * *summary.mean("cost"));
}

TEST(Statistics, OfAStudyHoldTheTimeOfReplicasWithoutAFailure) {
  const Figures replicas[] = {sample_figures(0), sample_figures(1), sample_figures(2)};
  const Summary summary = summarize(sample_facts(), replicas);
  EXPECT_EQ(summary.replicas, 3U);
  EXPECT_EQ(summary.find("interruptions")->n, 3U);
  EXPECT_NEAR(*summary.mean("interruptions"), 4, 1e-12);  // 3, 4, 5
  // Replica 0 has no failure, 1 and 2 have one in 1,000 s and in 500 s: 3 x 3,600 s over 0 + 3.6 + 7.2 failures.
  EXPECT_EQ(summary.find("mttf_s")->n, 2U);
  EXPECT_NEAR(*summary.mean("mttf_s"), 1000, 1e-9);
  EXPECT_EQ(summary.find("no such metric"), nullptr);
}

TEST(Statistics, TheFingerprintDependsOnEveryReplicaAndTheirOrder) {
  const auto print = [](std::initializer_list<std::uint32_t> replicas) {
    std::vector<Figures> figures;
    for (const std::uint32_t k : replicas) figures.push_back(sample_figures(k));
    return summarize(sample_facts(), figures).fingerprint;
  };
  EXPECT_EQ(print({0, 1, 2}), print({0, 1, 2}));
  EXPECT_NE(print({0, 1, 2}), print({0, 2, 1}));
  EXPECT_NE(print({0, 1, 2}), print({0, 1}));
  EXPECT_NE(print({0, 1, 2}), print({0, 1, 1}));
}

TEST(Statistics, OfAStoreAreTheSameHoweverManyPassesTheyTake) {
  const auto store = Store::temporary({.command = "run",
                                       .arguments = "gauntlet run sample",
                                       .version = "0.1.0",
                                       .seed = 7,
                                       .scenario = "sample",
                                       .text = "name = \"sample\"\n"},
                                      sample_facts().faults);
  const std::uint32_t point =
      store->add_point({.label = "", .settings = {}, .text = "name = \"sample\"\n", .facts = sample_facts()});
  std::vector<Figures> replicas;
  for (std::uint64_t k = 0; k < 100; ++k) replicas.push_back(random_figures(k, 2));  // k is the seed
  store->add(point, 0, replicas);
  const std::span<const Figures> most = std::span(replicas).first(90);
  const Summary wanted = summarize(sample_facts(), most);
  // All at once; seven metrics a pass; one, and one too where not even that fits.
  for (const std::uint64_t budget :
       {kValueBudget, 7 * 90 * sizeof(Fraction), 90 * sizeof(Fraction), std::size_t{1}}) {
    const Summary summary = summarize(*store, point, 90, budget);
    EXPECT_EQ(summary.replicas, 90U);
    EXPECT_EQ(summary.fingerprint, wanted.fingerprint);
    ASSERT_EQ(summary.metrics.size(), wanted.metrics.size());
    for (std::size_t i = 0; i < wanted.metrics.size(); ++i) {
      EXPECT_EQ(summary.metrics[i].name, wanted.metrics[i].name);
      EXPECT_EQ(summary.metrics[i].statistics, wanted.metrics[i].statistics) << wanted.metrics[i].name;
    }
  }
}

}  // namespace
}  // namespace gauntlet
