// Statistics of one metric, and of all metrics of a study. Every value is kept.
#pragma once

#include "study/results/metrics.hpp"
#include "study/results/summary.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// The most replicas that a study takes. Their values are kept, 8 bytes a plain metric and 16 a ratio: with a hundred
/// metrics (some forty fault kinds) that is 90 MB here, and less than 200 MB while the arrays grow.
inline constexpr std::uint32_t kMostReplicas = 100'000;

/// Statistics of one metric, which depend on its values and their order alone. The mean is the ratio of the means of
/// numerators and denominators, each by Welford's recurrence (Technometrics 4(3), 1962,
/// https://doi.org/10.1080/00401706.1962.10490022). Its error is that of the mean of the residuals
/// (numerator - mean x denominator) / mean denominator: the delta method (Cochran, Sampling Techniques, 3rd ed., 1977,
/// sec. 6.3, the ratio estimator), and for a plain metric exactly the usual standard error.
class MetricStatistics {
 public:
  /// Both parts are finite, and the denominator is not negative.
  void add(Fraction of);
  Statistics statistics() const;

 private:
  double denominator(std::size_t i) const { return denominators_.empty() ? 1 : denominators_[i]; }

  double mean_numerator_ = 0, mean_denominator_ = 0;
  std::vector<double> numerators_;
  std::vector<double> denominators_;  // empty while all are 1
};

/// The quantile at `p` of sorted values, linear between order statistics: definition 7 of Hyndman and Fan (The American
/// Statistician 50(4), 1996, https://doi.org/10.1080/00031305.1996.10473566). There is at least one value.
double quantile(const std::vector<double>& sorted, double p);

/// A study as it grows, replica after replica.
class StudyStatistics {
 public:
  explicit StudyStatistics(ScenarioFacts facts);
  /// Replicas come in their order, kMostReplicas of them at most.
  void add(const Figures& figures);
  Summary summary() const;

 private:
  ScenarioFacts facts_;
  std::vector<Metric> metrics_;
  std::vector<MetricStatistics> statistics_;  // by metric
  std::uint32_t replicas_ = 0;
  std::uint64_t fingerprint_ = kNoFingerprint;
};

}  // namespace gauntlet
