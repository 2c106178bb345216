#include "study/statistics.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

void RunningStatistics::add(double value) {
  expect(std::isfinite(value), "a metric is a number or absent");
  values_.push_back(value);
  const double deviation = value - mean_;
  mean_ += deviation / static_cast<double>(values_.size());
  squares_ += deviation * (value - mean_);
}

Statistics RunningStatistics::statistics() const {
  Statistics out;
  out.n = values_.size();
  if (values_.empty()) return out;
  out.mean = mean_;
  std::vector<double> sorted = values_;
  std::sort(sorted.begin(), sorted.end());
  out.p5 = quantile(sorted, 0.05);
  out.p50 = quantile(sorted, 0.5);
  out.p95 = quantile(sorted, 0.95);
  if (values_.size() < 2) return out;

  const double n = static_cast<double>(values_.size());
  const double sd = std::sqrt(squares_ / (n - 1));
  const double se = sd / std::sqrt(n);
  const double half_width = student_t_quantile(0.975, n - 1) * se;
  out.sd = sd;
  out.se = se;
  out.ci95 = Interval{mean_ - half_width, mean_ + half_width};
  return out;
}

double quantile(const std::vector<double>& sorted, double p) {
  expect(!sorted.empty() && p >= 0 && p <= 1, "there is a value, and p is a probability");
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 == sorted.size()) return sorted.back();
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[below + 1] - sorted[below]);
}

StudyStatistics::StudyStatistics(ScenarioFacts facts)
    : facts_(std::move(facts)), metrics_(metrics_of(facts_)), running_(metrics_.size()) {}

void StudyStatistics::add(const Figures& figures) {
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    if (const std::optional<double> value = metrics_[i].of(figures)) running_[i].add(*value);
  fingerprint_ = add_fingerprint(fingerprint_, figures.fingerprint);
  ++replicas_;
}

Summary StudyStatistics::summary() const {
  Summary out{.facts = facts_,
              .replicas = replicas_,
              .only = std::nullopt,
              .fingerprint = fingerprint_,
              .metrics = {}};
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    out.metrics.push_back({metrics_[i].name, running_[i].statistics()});
  return out;
}

}  // namespace gauntlet
