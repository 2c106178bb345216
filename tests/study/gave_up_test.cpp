// Runs that give up, with a probability that is known, from the scenario to the summary.
#include "study/statistics.hpp"
#include "study/summary/json.hpp"
#include "study/summary/summary_json.hpp"
#include "tests/study/seeded_study.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kOfStudy = 20, kStudies = 1000, kRuns = kOfStudy * kStudies;
constexpr double kDaysAtRisk = 6, kHosts = 8, kMtbfDays = 936;

/// A job on eight hosts without a spare, whose repairs take forever: the first host that fails in its first six of seven days ends
/// it a day later. P = 1 - exp(-8 x 6 / 936) = 5.0%.
PointSource hopeless(std::uint64_t seed) {
  return PointSource("scenarios/tiny-8.toml",
                     {"spares.count=0", "repair.time=100000d", "repair.silent_failure=0",
                      "job.give_up_after=1d", "faults.host_down.mtbf=936d", "faults.gpu_lost.mtbf=never",
                      "faults.slow_host.mtbf=never", "faults.process_stuck.mtbf=never",
                      "faults.link_flap.mtbf=never", "telemetry.gap_mtbf=0s", "job.planned.times=[]"},
                     seed);
}

double probability() { return -std::expm1(-kHosts * kDaysAtRisk / kMtbfDays); }

std::vector<Figures> runs_of(SeededStudy& study, PointNumber point) {
  EXPECT_TRUE(study.experiment.ensure(std::vector<PointNumber>{point}, kRuns));
  std::vector<Figures> out;
  study.experiment.visit(point, kRuns,
                         [&](std::uint32_t, const Figures& figures) { out.push_back(figures); });
  return out;
}

/// Of studies of 20 runs, how many have an interval that holds p: a binomial sum.
double exact_coverage(double p) {
  double covered = 0, probability = std::pow(1 - p, kOfStudy);
  for (std::uint32_t hits = 0; hits <= kOfStudy; ++hits) {
    MetricStatistics statistics;
    for (std::uint32_t i = 0; i < kOfStudy; ++i) statistics.add({i < hits ? 1.0 : 0.0, 1});
    const Interval of = *statistics.statistics(Worse::high, RunValue::happened).ci95;
    if (of.low <= p && p <= of.high) covered += probability;
    probability *= (kOfStudy - hits) / (hits + 1.0) * p / (1 - p);
  }
  return covered;
}

TEST(GaveUp, IntervalsOfStudiesHoldTheProbability) {
  constexpr std::uint64_t kSeed = 20;
  const PointSource source = hopeless(kSeed);
  ASSERT_TRUE(source.point().point) << source.point().problems.front().text();
  SeededStudy study(source, kSeed, 2);
  const PointNumber point = study.experiment.add(source.point().point);
  const std::vector<Figures> runs = runs_of(study, point);
  const ScenarioFacts& facts = study.experiment.point(point).facts;
  const double p = probability();

  const Summary all = summarize(facts, runs);
  EXPECT_NEAR(*all.mean("gave_up"), p, 4 * std::sqrt(p * (1 - p) / kRuns));
  double held = 0, none = 0;
  for (std::uint32_t i = 0; i < kStudies; ++i) {
    const Summary of = summarize(facts, std::span(runs).subspan(i * kOfStudy, kOfStudy));
    const Statistics& gave_up = *of.find("gave_up");
    held += gave_up.ci95->low <= p && p <= gave_up.ci95->high ? 1 : 0;
    if (*gave_up.mean > 0) continue;
    ++none;
    EXPECT_NEAR(gave_up.ci95->high, 0.1684, 1e-4) << "nothing of 20 is not certain";
  }
  const double exact = exact_coverage(p), share = held / kStudies;
  std::printf(
      "%.3f of the intervals hold %.4f, %.4f by the binomial sum; %.0f studies without one that gave up\n",
      share, p, exact, none);
  EXPECT_GE(exact, 0.95);
  EXPECT_NEAR(share, exact, 4 * std::sqrt(exact * (1 - exact) / kStudies));
  EXPECT_GT(none, 300);

  // Among single runs one that gave up counts as longer and more expensive than all others: 5% are above p95.
  for (const char* metric : {"wall_time_s", "cost", "gpu_hours"}) {
    const Statistics& of = *all.find(metric);
    EXPECT_EQ(of.gave_up, static_cast<std::uint64_t>(std::llround(*all.mean("gave_up") * kRuns))) << metric;
    EXPECT_TRUE(of.p1 && of.p5 && of.p50) << metric;
    EXPECT_FALSE(of.p99 || of.worst_5_mean) << metric;
    EXPECT_EQ(*of.p1, *of.p50) << metric << ": without those that gave up early, all runs take the window";
  }
  EXPECT_NEAR(*all.find("wall_time_s")->p1, 7 * 86'400.0, 1e-6);
  EXPECT_LT(*all.mean("wall_time_s"), 7 * 86'400.0) << "what they took until then is in the mean";
  EXPECT_EQ(all.find("ettr")->gave_up, 0U) << "a rate needs no end";
  // In JSON, and back.
  const std::string json = to_json(all);
  EXPECT_EQ(Json::parse(json)["metrics"]["cost"]["gave_up"], all.find("cost")->gave_up);
  EXPECT_TRUE(Json::parse(json)["metrics"]["cost"]["p99"].is_null());
  EXPECT_FALSE(Json::parse(json)["metrics"]["ettr"].contains("gave_up"));
  EXPECT_EQ(summary_from_json(json).summary->find("cost")->gave_up, all.find("cost")->gave_up);
  // In a store, and back.
  study.experiment.put_summary(point);
  const auto stored = study.store->summary(0);
  ASSERT_TRUE(stored);
  EXPECT_EQ(*stored->find("cost"), *all.find("cost"));
}

}  // namespace
}  // namespace gauntlet
