#include "study/controls.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"
#include "study/paired.hpp"
#include "study/statistics.hpp"
#include "tests/study/normal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Counts of mean zero: of each of `replicas` replicas `each`.
std::vector<double> counts(std::uint32_t study, std::size_t replicas, std::size_t each) {
  Stream stream({.study = study, .replica = 0}, stream_name("controls"));
  std::vector<double> out;
  for (std::size_t i = 0; i < replicas * each; ++i) out.push_back(3 * normal(stream));
  return out;
}

TEST(Controls, WeighReplicasSoThatTheCountsAreZeroInTheMean) {
  for (const std::size_t each : {1U, 2U, 4U}) {
    const std::size_t n = 60;
    const std::vector<double> of = counts(5, n, each);
    const Controls controls(of, each);
    ASSERT_EQ(controls.size(), each);
    double weights = 0;
    std::vector<double> means(each, 0);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_GT(controls.weight(i), 0);
      weights += controls.weight(i);
      for (std::size_t k = 0; k < each; ++k) means[k] += controls.weight(i) * of[i * each + k];
    }
    EXPECT_NEAR(weights, n, 1e-9);
    for (const double mean : means) EXPECT_NEAR(mean / n, 0, 1e-10);
    for (std::size_t k = 0; k < each; ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        double product = 0;
        for (std::size_t i = 0; i < n; ++i)
          product += controls.coordinates(i)[k] * controls.coordinates(i)[l];
        EXPECT_NEAR(product, k == l ? 1 : 0, 1e-12);
      }
  }
}

TEST(Controls, WhatTheyExplainWhollyIsExact) {
  const std::vector<double> of = counts(6, 40, 2);
  const Controls controls(of, 2);
  MetricStatistics all;
  for (std::size_t i = 0; i < 40; ++i) all.add({7 + 2 * of[2 * i] - 3 * of[2 * i + 1], 1});
  const Statistics plain = all.statistics(),
                   controlled = all.statistics(Worse::neither, RunValue::amount, controls);
  EXPECT_GT(std::abs(*plain.mean - 7), 0.05);
  EXPECT_NEAR(*controlled.mean, 7, 1e-9);
  EXPECT_NEAR(*controlled.se, 0, 1e-9);
  // What is said of single runs is the same.
  EXPECT_EQ(controlled.sd, plain.sd);
  EXPECT_EQ(controlled.p95, plain.p95);
}

TEST(Controls, ARatioIsExactWhereBothPartsAre) {
  const std::vector<double> of = counts(7, 40, 1);
  MetricStatistics all;
  for (const double count : of) all.add({60 + 2 * count, 100 - count});
  const Statistics controlled = all.statistics(Worse::neither, RunValue::amount, Controls(of, 1));
  EXPECT_NEAR(*controlled.mean, 0.6, 1e-9);
  EXPECT_NEAR(*controlled.se, 0, 1e-9);
}

TEST(Controls, PartsStillAddUp) {
  const std::vector<double> of = counts(8, 30, 2);
  const Controls controls(of, 2);
  Stream stream({.study = 8, .replica = 1}, stream_name("parts"));
  MetricStatistics first, second, whole;
  for (std::size_t i = 0; i < 30; ++i) {
    const double a = 5 + normal(stream) + of[2 * i], b = 3 + normal(stream);
    first.add({a, 10});
    second.add({b, 10});
    whole.add({a + b, 10});
  }
  const auto mean = [&](const MetricStatistics& each) {
    return *each.statistics(Worse::neither, RunValue::amount, controls).mean;
  };
  EXPECT_NEAR(mean(first) + mean(second), mean(whole), 1e-12);
}

TEST(Controls, AControlThatSaysNothingNewIsLeftOut) {
  std::vector<double> of;
  for (const double count : counts(9, 40, 1)) of.insert(of.end(), {count, -2 * count, 0, 5 * count});
  EXPECT_EQ(Controls(of, 4).size(), 1U);
  EXPECT_EQ(Controls(std::vector<double>(40, 0.0), 1).size(), 0U);
}

TEST(Controls, WithoutBothSignsThereIsNone) {
  std::vector<double> above;
  for (const double count : counts(10, 40, 1)) above.push_back(std::abs(count) + 0.01);
  const Controls none(above, 1);
  EXPECT_EQ(none.size(), 0U);
  EXPECT_EQ(none.weight(3), 1);
}

TEST(Controls, MoreReplicasBearMore) {
  ScenarioFacts facts;
  facts.controls.assign(9, {0});
  for (const auto& [replicas, borne] : {std::pair{0U, 0U},
                                        {9U, 0U},
                                        {10U, 1U},
                                        {19U, 1U},
                                        {20U, 2U},
                                        {39U, 2U},
                                        {40U, 3U},
                                        {59U, 3U},
                                        {60U, 4U},
                                        {1000U, 4U}})
    EXPECT_EQ(controls_borne(facts, replicas), borne) << replicas;
  facts.controls.assign(1, {0});
  EXPECT_EQ(controls_borne(facts, 1000), 1U) << "the scenario has no more";
}

TEST(Controls, AShareOfRunsStaysAsItIs) {
  const std::vector<double> of = counts(11, 40, 1);
  MetricStatistics all;
  for (const double count : of) all.add({count > 0 ? 1.0 : 0.0, 1});
  EXPECT_EQ(all.statistics(Worse::high, RunValue::happened, Controls(of, 1)),
            all.statistics(Worse::high, RunValue::happened));
}

TEST(Controls, ADifferenceIsThatOfTheTwoMeans) {
  const std::vector<double> of_first = counts(12, 50, 1), of_second = counts(13, 50, 1);
  const PairedControls controls{.first = Controls(of_first, 1), .second = Controls(of_second, 1)};
  Stream stream({.study = 12, .replica = 2}, stream_name("pairs"));
  std::vector<Fraction> first, second;
  MetricStatistics a, b;
  for (std::size_t i = 0; i < 50; ++i) {
    const double common = normal(stream);
    first.push_back({10 + common + of_first[i] + 0.1 * normal(stream), 1});
    second.push_back({12 + common + of_second[i] + 0.1 * normal(stream), 1});
    a.add(first.back());
    b.add(second.back());
  }
  const PairedDifference difference = paired_difference(first, second, RunValue::amount, controls);
  EXPECT_DOUBLE_EQ(*difference.difference,
                   *b.statistics(Worse::neither, RunValue::amount, controls.second).mean -
                       *a.statistics(Worse::neither, RunValue::amount, controls.first).mean);
  EXPECT_LT(*difference.se, 0.1);
  EXPECT_GT(*paired_difference(first, second).se, 0.3);
  // Equal sides differ by nothing, with whatever controls.
  const PairedDifference none =
      paired_difference(first, first, RunValue::amount, {.first = controls.first, .second = controls.first});
  EXPECT_EQ(*none.difference, 0);
  EXPECT_EQ(*none.se, 0);
}

TEST(Controls, SidesThatAreEqualInEveryPairDifferByNothing) {
  const std::vector<double> of_first = counts(12, 50, 1), of_second = counts(13, 50, 1);
  std::vector<Fraction> values;
  for (std::size_t i = 0; i < 50; ++i) values.push_back({static_cast<double>(i % 7), 1});
  const PairedDifference none = paired_difference(
      values, values, RunValue::amount, {.first = Controls(of_first, 1), .second = Controls(of_second, 1)});
  EXPECT_EQ(none.difference, 0);
  EXPECT_EQ(none.se, 0);
  EXPECT_EQ(none.ci95, (Interval{0, 0}));
}

TEST(Controls, AKindThatHardlyStruckIsNone) {
  std::vector<double> of = counts(15, 40, 1), both;
  for (std::size_t i = 0; i < 40; ++i)
    both.insert(both.end(), {of[i], (i == 7 || i == 20 ? 1.0 : 0.0) - 0.05});
  const Controls controls(both, 2);
  EXPECT_EQ(controls.used(), std::vector<std::uint32_t>{0});
}

// Of a Poisson count N of mean 20 and a loss of N times an exponential time: the mean is known, and the counts explain half of the
// variance. With 20 replicas an interval is of 17 degrees of freedom.
TEST(Controls, IntervalsHoldTheMeanAsOftenAsTheySay) {
  constexpr int kStudies = 4000;
  constexpr double kMean = 20;
  for (const std::size_t replicas : {20U, 100U}) {
    int held = 0;
    double plain_width = 0, width = 0;
    for (std::uint32_t study = 0; study < kStudies; ++study) {
      Stream stream({.study = 14, .replica = study}, stream_name("coverage"));
      std::vector<double> of;
      MetricStatistics all;
      for (std::size_t i = 0; i < replicas; ++i) {
        double strikes = 0, lost = 0;
        for (double left = kMean; (left += math_log(stream.uniform())) > 0;) {
          ++strikes;
          lost -= math_log(stream.uniform());
        }
        of.push_back(strikes - kMean);
        all.add({lost, 1});
      }
      const Statistics statistics = all.statistics(Worse::high, RunValue::amount, Controls(of, 1));
      held += statistics.ci95->low <= kMean && kMean <= statistics.ci95->high ? 1 : 0;
      width += statistics.ci95->high - statistics.ci95->low;
      plain_width += all.statistics().ci95->high - all.statistics().ci95->low;
    }
    // Between 4 standard errors of 95%: 1.4 points.
    EXPECT_NEAR(held / static_cast<double>(kStudies), 0.95, 0.014) << replicas;
    // The root of a half is 0.71; few replicas pay for the coefficient.
    EXPECT_LT(width / plain_width, replicas == 20 ? 0.8 : 0.74) << replicas;
  }
}

}  // namespace
}  // namespace gauntlet
