#include "study/statistics.hpp"

#include "tests/study/store/random_figures.hpp"
#include "tests/study/store/sample_study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

Statistics of(const std::vector<double>& values) {
  MetricStatistics metric;
  for (const double value : values) metric.add({.numerator = value, .denominator = 1});
  return metric.statistics();
}

Statistics of_bad(const std::vector<double>& values, Worse worse) {
  MetricStatistics metric;
  for (const double value : values) metric.add({.numerator = value, .denominator = 1});
  return metric.statistics(worse);
}

/// The values of a distribution at the middles of `count` equal parts of its probability, in an order that is not sorted.
std::vector<double> sample(std::size_t count, double (*quantile_at)(double)) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t place =
        i * 7919 % count;  // a prime: every place once where it does not divide the count
    values.push_back(quantile_at((static_cast<double>(place) + 0.5) / static_cast<double>(count)));
  }
  return values;
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

/// 100 runs that take 1 to 100; of them those from `first` on gave up.
Statistics with_gave_up(std::size_t first, RunValue value = RunValue::whole_run) {
  MetricStatistics metric;
  for (std::size_t i = 0; i < 100; ++i)
    metric.add({i < first ? static_cast<double>(i + 1) : 0.5, 1},
               i < first ? Ending::completed : Ending::gave_up);
  return metric.statistics(Worse::high, value);
}

TEST(Tails, ARunThatGaveUpIsWorseThanAllThatDidNot) {
  // Sorted places are 0 .. 99. p99 is at 98.01, between the last two; p95 at 94.05; p1 at 0.99.
  const Statistics one = with_gave_up(99);
  EXPECT_EQ(one.gave_up, 1U);
  EXPECT_EQ(one.n, 100U);
  EXPECT_FALSE(one.p99) << "1 of 100 gave up";
  EXPECT_NEAR(*one.p95, 95.05, 1e-12);
  EXPECT_NEAR(*one.p1, 1.99, 1e-12) << "the short time of the run that gave up is not among the shortest";
  EXPECT_FALSE(one.worst_5_mean);
  EXPECT_NEAR(*one.mean, (99 * 50 + 0.5) / 100, 1e-12) << "what it took until then";
  const Statistics five = with_gave_up(95);
  EXPECT_FALSE(five.p95);
  EXPECT_NEAR(*five.p50, 50.5, 1e-12);
  const Statistics four = with_gave_up(96);
  EXPECT_NEAR(*four.p95, 95.05, 1e-12);
  const Statistics none = with_gave_up(100), all = with_gave_up(0);
  EXPECT_TRUE(none.p99 && none.worst_5_mean);
  EXPECT_EQ(none.gave_up, 0U);
  EXPECT_FALSE(all.p1 || all.p5 || all.p50 || all.worst_5_mean);
  EXPECT_EQ(*all.mean, 0.5);
  // A metric of another kind does not ask.
  EXPECT_EQ(with_gave_up(99, RunValue::amount).gave_up, 0U);
  EXPECT_NEAR(*with_gave_up(99, RunValue::amount).p99, 98.01, 1e-12);
}

TEST(Tails, AgreeWithHandComputedValues) {
  // 1 .. 21: 5% are 1.05 values, the last whole and 0.05 of the one before it.
  std::vector<double> values;
  for (int i = 21; i > 0; --i) values.push_back(i);
  EXPECT_NEAR(*of_bad(values, Worse::high).worst_5_mean, (21 + 0.05 * 20) / 1.05, 1e-14);
  EXPECT_NEAR(*of_bad(values, Worse::low).worst_5_mean, (1 + 0.05 * 2) / 1.05, 1e-14);
  values.pop_back();  // 2 .. 21: one value
  EXPECT_EQ(of_bad(values, Worse::high).worst_5_mean, 21);
  EXPECT_EQ(of_bad(values, Worse::low).worst_5_mean, 2);
  // 0 .. 100: places are the values, so that percentiles are whole. 5.05 values: 0 + 1 + 2 + 3 + 4 + 0.05 x 5.
  std::vector<double> hundred;
  for (int i = 0; i <= 100; ++i) hundred.push_back(i);
  EXPECT_NEAR(*of_bad(hundred, Worse::low).p1, 1, 1e-12);
  EXPECT_NEAR(*of_bad(hundred, Worse::low).p99, 99, 1e-12);
  EXPECT_NEAR(*of_bad(hundred, Worse::low).worst_5_mean, 10.25 / 5.05, 1e-14);
  EXPECT_NEAR(*of_bad(hundred, Worse::high).worst_5_mean, 100 - 10.25 / 5.05, 1e-12);
}

TEST(Tails, OfTooFewReplicasAreUnknown) {
  const std::vector<double> few(19, 2.0), some(99, 2.0), enough(100, 2.0);
  for (const std::vector<double>& values : {std::vector<double>{3}, few}) {
    const Statistics of = of_bad(values, Worse::high);
    EXPECT_FALSE(of.worst_5_mean || of.p1 || of.p99) << values.size();
  }
  EXPECT_EQ(of_bad(some, Worse::high).worst_5_mean, 2);
  EXPECT_FALSE(of_bad(some, Worse::high).p1 || of_bad(some, Worse::high).p99);
  EXPECT_EQ(of_bad(enough, Worse::high).p1, 2);
  EXPECT_EQ(of_bad(enough, Worse::high).p99, 2);
  EXPECT_FALSE(of_bad(enough, Worse::neither).worst_5_mean) << "what has no bad side has no worst values";
  // Replicas that do not define the metric do not count: 20 and 19 of 30.
  std::vector<Fraction> fractions(30, Fraction{1, 0});
  for (int i = 0; i < 20; ++i) fractions[static_cast<std::size_t>(i)].denominator = 1;
  const auto worst = [&] {
    MetricStatistics metric;
    for (const Fraction& each : fractions) metric.add(each);
    return metric.statistics(Worse::low).worst_5_mean;
  };
  EXPECT_EQ(worst(), 1);
  fractions[0].denominator = 0;
  EXPECT_EQ(worst(), std::nullopt);
}

TEST(Tails, OfEqualValuesAreThatValue) {
  for (const std::size_t count : {20U, 21U, 33U, 100U, 1001U}) {
    const Statistics of = of_bad(std::vector<double>(count, 0.1), Worse::low);
    EXPECT_EQ(of.worst_5_mean, 0.1) << count;
    if (count >= kFewestForP1) {
      EXPECT_EQ(of.p1, 0.1);
      EXPECT_EQ(of.p99, 0.1);
    }
  }
}

TEST(Tails, OfKnownDistributionsAgreeWithTheirClosedForms) {
  // Uniform on [0, 1]: the mean of the worst 5% is 0.025 or 0.975. Exponential of mean 1: that of the highest 5% is the 95%
  // quantile and the mean, log 20 + 1, for it has no memory; that of the lowest 5% follows from the mean of all,
  // 1 = 0.05 low + 0.95 (1 + log(20/19)).
  constexpr std::size_t kCount = 100'003;
  const std::vector<double> uniform = sample(kCount, [](double p) { return p; });
  EXPECT_NEAR(*of_bad(uniform, Worse::low).worst_5_mean, 0.025, 1e-5);
  EXPECT_NEAR(*of_bad(uniform, Worse::high).worst_5_mean, 0.975, 1e-5);
  EXPECT_NEAR(*of_bad(uniform, Worse::low).p1, 0.01, 1e-5);
  const std::vector<double> exponential = sample(kCount, [](double p) { return -std::log1p(-p); });
  const double low = (1 - 0.95 * (1 + std::log(20.0 / 19))) / 0.05;
  EXPECT_NEAR(*of_bad(exponential, Worse::high).worst_5_mean, std::log(20.0) + 1, 1e-4);
  EXPECT_NEAR(*of_bad(exponential, Worse::low).worst_5_mean, low, 1e-5);
  EXPECT_NEAR(*of_bad(exponential, Worse::high).p99, std::log(100.0), 1e-3);
}

TEST(Tails, LieBeyondThePercentilesWhateverTheValues) {
  std::uint64_t state = 3;  // repeats it
  for (std::size_t count = 20; count < 400; ++count) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      values.push_back(static_cast<double>(state >> 60));  // 16 different values: many are equal
    }
    const Statistics low = of_bad(values, Worse::low), high = of_bad(values, Worse::high);
    EXPECT_LE(*low.worst_5_mean, *low.p5) << count;
    EXPECT_GE(*high.worst_5_mean, *high.p95) << count;
    EXPECT_GE(*low.worst_5_mean, *std::ranges::min_element(values)) << count;
    EXPECT_LE(*high.worst_5_mean, *std::ranges::max_element(values)) << count;
    if (count < kFewestForP1) continue;
    EXPECT_LE(*low.p1, *low.p5) << count;
    EXPECT_GE(*high.p99, *high.p95) << count;
  }
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
