#include "commands/tune/trials.hpp"

#include "commands/tune/result.hpp"
#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/special.hpp"
#include "study/controlled_ratio.hpp"
#include "study/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kClearly = 0.001;  // chance of calling a bound broken that is met

double mean_of(std::span<const Fraction> values) { return statistic_of(values, Statistic::mean).value_or(0); }

/// The chance of at least `hits` out of `tries`, each with chance p.
double at_least(std::size_t hits, std::size_t tries, double p) {
  if (hits == 0) return 1;
  return incomplete_beta(static_cast<double>(hits), static_cast<double>(tries - hits + 1), p);
}

bool clearly_broken(const Bound& bound, std::span<const Fraction> values, const Controls& controls) {
  if (bound.statistic == Statistic::mean) {
    MetricStatistics all;
    for (const Fraction& value : values) all.add(value);
    const Statistics statistics = all.statistics(Worse::neither, run_value_of(bound.metric), controls);
    if (!statistics.mean || !statistics.se) return false;
    const double beyond = bound.upper ? *statistics.mean - bound.limit : bound.limit - *statistics.mean;
    const auto n = static_cast<double>(values.size());
    return beyond > student_t_quantile(1 - kClearly, n - 1) * *statistics.se;
  }
  // More runs beyond the limit than the quantile allows.
  const double p = bound.statistic == Statistic::p5 ? 0.05 : bound.statistic == Statistic::p50 ? 0.5 : 0.95;
  std::size_t beyond = 0, defined = 0;
  for (const Fraction& value : values)
    if (const auto own = value.value()) {
      ++defined;
      if (bound.upper ? *own > bound.limit : *own < bound.limit) ++beyond;
    }
  return defined > 0 && at_least(beyond, defined, bound.upper ? 1 - p : p) < kClearly;
}

}  // namespace

Trials::Trials(ReplicaSource& source, const std::vector<TuneField>& fields, Objective objective,
               std::vector<Bound> bounds, std::uint64_t budget)
    : source_(&source),
      fields_(&fields),
      objective_(std::move(objective)),
      bounds_(std::move(bounds)),
      budget_(budget) {}

std::size_t Trials::add(const std::vector<std::string>& values) {
  expect(values.size() == fields_->size(), "every field has a value");
  const auto [found, is_new] = by_values_.try_emplace(values, all_.size());
  if (!is_new) return found->second;
  Trial trial{.values = values, .at = {}, .point = source_->add(values), .replicas = 0, .dropped = false};
  for (std::size_t i = 0; i < values.size(); ++i) trial.at.push_back((*fields_)[i].coordinate_of(values[i]));
  all_.push_back(std::move(trial));
  return all_.size() - 1;
}

std::size_t Trials::add(const Position& at) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < at.size(); ++i) values.push_back((*fields_)[i].text_at(at[i]));
  return add(values);
}

Trials::Run Trials::ensure(std::span<const std::size_t> trials, std::uint32_t replicas,
                           std::uint64_t reserve) {
  std::vector<std::uint32_t> points;
  std::vector<std::size_t> short_of;  // each once
  std::uint64_t missing = 0;
  for (const std::size_t i : trials) {
    const Trial& trial = all_[i];
    if (!trial.point || trial.replicas >= replicas) continue;
    if (std::find(short_of.begin(), short_of.end(), i) != short_of.end()) continue;
    short_of.push_back(i);
    points.push_back(*trial.point);
    missing += replicas - trial.replicas;
  }
  if (missing > 0 && missing + reserve > budget_left()) {
    lacked_ = missing + reserve;
    return Run::over_budget;
  }
  if (!source_->ensure(points, replicas)) return Run::stopped;
  for (const std::size_t i : short_of) all_[i].replicas = replicas;
  spent_ += missing;
  return Run::done;
}

std::span<const Fraction> Trials::values(std::size_t trial, const std::string& metric,
                                         std::uint32_t count) const {
  expect(all_[trial].point && count <= all_[trial].replicas, "the trial has so many replicas");
  return source_->values(*all_[trial].point, metric, count);
}

Controls Trials::controls(std::size_t trial, std::uint32_t count) const {
  expect(all_[trial].point && count <= all_[trial].replicas, "the trial has so many replicas");
  return source_->controls(*all_[trial].point, count);
}

std::span<const Fraction> Trials::adjusted(std::size_t trial, const std::string& metric,
                                           std::uint32_t count) const {
  const std::span<const Fraction> plain = values(trial, metric, count);
  const Controls controls = this->controls(trial, count);
  if (controls.size() == 0 || run_value_of(metric) == RunValue::happened) return plain;
  Adjusted& kept = adjusted_[{trial, metric}];
  if (kept.count == count) return kept.values;
  ControlledRatio ratio(controls);
  for (const Fraction& each : plain) ratio.add(each);
  kept = {.count = count, .values = {}};
  for (std::size_t i = 0; i < plain.size(); ++i) kept.values.push_back(ratio.adjusted(plain[i], i));
  // Denominators that count rare things may fall below zero: then they are weighted, which has the same mean.
  if (std::any_of(kept.values.begin(), kept.values.end(),
                  [](const Fraction& each) { return !(each.denominator > 0); }))
    for (std::size_t i = 0; i < plain.size(); ++i)
      kept.values[i] = {controls.weight(i) * plain[i].numerator, controls.weight(i) * plain[i].denominator};
  return kept.values;
}

std::span<const Fraction> Trials::values_for(std::size_t trial, const std::string& metric,
                                             Statistic statistic, std::uint32_t count) const {
  return statistic == Statistic::mean ? adjusted(trial, metric, count) : values(trial, metric, count);
}

std::optional<double> Trials::loss(std::size_t trial) const {
  const auto mean = statistic_of(adjusted(trial, objective_.metric, all_[trial].replicas), Statistic::mean);
  return mean ? std::optional(sign() * *mean) : std::nullopt;
}

PairedDifference Trials::worse_by(std::size_t best, std::size_t other, std::uint32_t most) const {
  const std::uint32_t count = std::min({all_[best].replicas, all_[other].replicas, most});
  const std::span<const Fraction> of_best = values(best, objective_.metric, count),
                                  of_other = values(other, objective_.metric, count);
  const RunValue value = run_value_of(objective_.metric);
  const Controls best_controls = controls(best, count), other_controls = controls(other, count);
  return objective_.maximise
             ? paired_difference(of_other, of_best, value, {.first = other_controls, .second = best_controls})
             : paired_difference(of_best, of_other, value,
                                 {.first = best_controls, .second = other_controls});
}

PairedDifference Trials::worse_by_at(std::size_t best, std::size_t other, double chance,
                                     std::uint32_t most) const {
  PairedDifference worse = worse_by(best, other, most);
  if (!worse.ci95) return worse;
  const std::uint32_t count = std::min({all_[best].replicas, all_[other].replicas, most});
  const std::size_t controlled = std::max(controls(best, count).size(), controls(other, count).size());
  const double freedom = static_cast<double>(count) - 1 - static_cast<double>(controlled);
  const double width = student_t_quantile(1 - chance, freedom) * *worse.se;
  worse.ci95->low = std::min(worse.ci95->low, *worse.difference - width);
  worse.ci95->high = std::max(worse.ci95->high, *worse.difference + width);
  return worse;
}

bool Trials::clearly_worse(std::size_t best, std::size_t other, double chance) const {
  const PairedDifference worse = worse_by_at(best, other, chance, kAllReplicas);
  return worse.ci95 && worse.ci95->low > 0;
}

std::vector<Fraction> Trials::bounded_values(std::size_t trial, const Bound& bound) const {
  const std::uint32_t count = all_[trial].replicas;
  const std::span<const Fraction> given = values_for(trial, bound.metric, bound.statistic, count);
  std::vector<Fraction> out(given.begin(), given.end());
  if (bound.statistic == Statistic::mean || run_value_of(bound.metric) != RunValue::whole_run) return out;
  const std::span<const Fraction> gave_up = values(trial, "gave_up", count);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (gave_up[i].numerator > 0 && out[i].denominator > 0) out[i] = {kInfinity, 1};
  return out;
}

std::optional<double> Trials::figure(std::size_t trial, const Bound& bound) const {
  return statistic_of(bounded_values(trial, bound), bound.statistic);
}

bool Trials::meets(std::size_t trial) const { return breaks(trial) <= 0; }

double Trials::breaks(std::size_t trial) const {
  double most = 0;
  for (const Bound& bound : bounds_) {
    const std::optional<double> of = figure(trial, bound);
    if (!of || bound.met(*of)) continue;  // what never happens breaks no bound
    const double beyond = std::abs(*of - bound.limit);
    most = std::max(most, bound.limit != 0 ? beyond / std::abs(bound.limit) : beyond);
  }
  return most;
}

bool Trials::clearly_breaks(std::size_t trial) const {
  const std::uint32_t count = all_[trial].replicas;
  return std::any_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
    return bound.statistic == Statistic::mean
               ? clearly_broken(bound, values(trial, bound.metric, count), controls(trial, count))
               : clearly_broken(bound, bounded_values(trial, bound), {});
  });
}

double Trials::gave_up(std::size_t trial) const {
  return mean_of(values(trial, "gave_up", all_[trial].replicas));
}

bool Trials::gives_up_more(std::size_t trial, double baseline) const {
  constexpr double kStandardErrors = 3;
  const double share = gave_up(trial), n = all_[trial].replicas;
  return share - baseline > kStandardErrors * std::sqrt(share * (1 - share) / n) + 1 / n;
}

double Trials::scale(std::size_t trial) const {
  const double size = loss_size(trial);
  if (size > 0) return size;
  // Nothing is lost here: count in what the worst trial loses.
  double most = 0;
  for (std::size_t i = 0; i < all_.size(); ++i)
    if (all_[i].replicas > 0) most = std::max(most, loss_size(i));
  return most > 0 ? most : 1;
}

double Trials::loss_size(std::size_t trial) const {
  const double mean = std::abs(loss(trial).value_or(0));
  switch (loss_kind(objective_.metric)) {
    case LossKind::missing:
      return 1 - mean;
    case LossKind::lost:
      return mean * (1 - mean_of(values(trial, "ettr", all_[trial].replicas)));
    case LossKind::itself:
      return mean;
  }
  return mean;
}

bool Trials::better(std::size_t a, std::size_t b, double baseline, std::uint32_t most) const {
  const double quits_a = std::max(gave_up(a) - baseline, 0.0), quits_b = std::max(gave_up(b) - baseline, 0.0);
  if (quits_a != quits_b) return quits_a < quits_b;
  const double breaks_a = breaks(a), breaks_b = breaks(b);
  if (breaks_a != breaks_b) return breaks_a < breaks_b;
  const PairedDifference worse = worse_by(a, b, most);
  return worse.difference ? *worse.difference > 0 : loss(a) && !loss(b);
}

}  // namespace gauntlet
