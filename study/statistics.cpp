#include "study/statistics.hpp"

#include "core/contract.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

void MetricStatistics::add(Fraction of) {
  expect(std::isfinite(of.numerator) && std::isfinite(of.denominator) && of.denominator >= 0,
         "a metric is a number, or a ratio to one that is not negative");
  if (of.denominator != 1 && denominators_.empty()) denominators_.assign(numerators_.size(), 1);
  numerators_.push_back(of.numerator);
  if (of.denominator != 1 || !denominators_.empty()) denominators_.push_back(of.denominator);
  const double n = static_cast<double>(numerators_.size());
  mean_numerator_ += (of.numerator - mean_numerator_) / n;
  mean_denominator_ += (of.denominator - mean_denominator_) / n;
}

Statistics MetricStatistics::statistics() const {
  Statistics out;
  std::vector<double> values;
  for (std::size_t i = 0; i < numerators_.size(); ++i)
    if (denominator(i) > 0) values.push_back(numerators_[i] / denominator(i));
  out.n = values.size();
  if (values.empty()) return out;
  const double mean = mean_numerator_ / mean_denominator_;
  out.mean = mean;
  std::sort(values.begin(), values.end());
  out.p5 = quantile(values, 0.05);
  out.p50 = quantile(values, 0.5);
  out.p95 = quantile(values, 0.95);
  if (values.size() < 2) return out;

  // Replicas without a value of their own have residuals too: their time at risk is known.
  double squares = 0;
  for (std::size_t i = 0; i < numerators_.size(); ++i) {
    const double residual = (numerators_[i] - mean * denominator(i)) / mean_denominator_;
    squares += residual * residual;
  }
  const double n = static_cast<double>(numerators_.size());
  const double sd = std::sqrt(squares / (n - 1));
  const double se = sd / std::sqrt(n);
  out.sd = sd;
  out.se = se;
  if (values.size() < kFewestForInterval) return out;
  const double half_width = student_t_quantile(0.975, n - 1) * se;
  out.ci95 = Interval{mean - half_width, mean + half_width};
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
    : facts_(std::move(facts)), metrics_(metrics_of(facts_)), statistics_(metrics_.size()) {}

void StudyStatistics::add(const Figures& figures) {
  expect(replicas_ < kMostReplicas, "a study has no more replicas than their values may be kept of");
  for (std::size_t i = 0; i < metrics_.size(); ++i) statistics_[i].add(metrics_[i].of(figures));
  fingerprint_ = add_fingerprint(fingerprint_, figures.fingerprint);
  ++replicas_;
}

Summary StudyStatistics::summary() const {
  Summary out{.facts = facts_,
              .replicas = replicas_,
              .interrupted = false,
              .only = std::nullopt,
              .fingerprint = fingerprint_,
              .metrics = {}};
  for (std::size_t i = 0; i < metrics_.size(); ++i)
    out.metrics.push_back({metrics_[i].name, statistics_[i].statistics()});
  return out;
}

}  // namespace gauntlet
