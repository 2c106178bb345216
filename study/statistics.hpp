// Streaming statistics of one metric, and of all metrics of a study.
#pragma once

#include "study/results/metrics.hpp"
#include "study/results/summary.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

/// Mean and variance by Welford's recurrence (Technometrics 4(3), 1962, https://doi.org/10.1080/00401706.1962.10490022),
/// so that the bytes depend on the order of the values alone; quantiles from the values, which are kept (8 bytes each).
class RunningStatistics {
 public:
  /// Values are finite.
  void add(double value);
  Statistics statistics() const;

 private:
  double mean_ = 0;
  double squares_ = 0;  // sum of squared deviations from the mean
  std::vector<double> values_;
};

/// The quantile at `p` of sorted values, linear between order statistics: definition 7 of Hyndman and Fan (The American
/// Statistician 50(4), 1996, https://doi.org/10.1080/00031305.1996.10473566). There is at least one value.
double quantile(const std::vector<double>& sorted, double p);

/// A study as it grows, replica after replica.
class StudyStatistics {
 public:
  explicit StudyStatistics(ScenarioFacts facts);
  /// Replicas come in their order.
  void add(const Figures& figures);
  Summary summary() const;

 private:
  ScenarioFacts facts_;
  std::vector<Metric> metrics_;
  std::vector<RunningStatistics> running_;  // by metric
  std::uint32_t replicas_ = 0;
  std::uint64_t fingerprint_ = kNoFingerprint;
};

}  // namespace gauntlet
