// The laws whose inverses are formulas: exponential, Pareto, uniform, constant, empirical.
#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "core/random/inversion.hpp"
#include "core/random/law_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace gauntlet::detail {
// --- exponential

Exponential::Exponential(double mean_life_) : mean_life(mean_life_) {
  expect(mean_life > 0, "the argument is in its domain: mean_life > 0");
}

double Exponential::survival(double t) const { return t <= 0 ? 1 : math_exp(-t / mean_life); }

double Exponential::cumulative_hazard(double t) const { return at_least_zero(t) / mean_life; }

double Exponential::time_at_survival(double s) const { return -mean_life * math_log(s); }

double Exponential::time_at_cumulative_hazard(double h) const { return mean_life * h; }

double Exponential::time_at_stationary_cumulative_hazard(double h, double) const { return mean_life * h; }

double Exponential::residual(double, double u) const { return time_at_survival(u); }

// --- Pareto

Pareto::Pareto(double minimum_, double alpha_) : minimum(minimum_), alpha(alpha_) {
  expect(minimum > 0 && alpha > 0, "the argument is in its domain: minimum > 0 && alpha > 0");
}

double Pareto::survival(double t) const { return t <= minimum ? 1 : math_pow(minimum / t, alpha); }

double Pareto::cumulative_hazard(double t) const { return t <= minimum ? 0 : alpha * math_log(t / minimum); }

double Pareto::time_at_survival(double s) const { return minimum * math_pow(s, -1 / alpha); }

double Pareto::time_at_cumulative_hazard(double h) const { return minimum * math_exp(h / alpha); }

double Pareto::mean() const { return alpha > 1 ? minimum * alpha / (alpha - 1) : kInfinity; }

double Pareto::variance() const {
  return alpha > 2 ? minimum * minimum * alpha / ((alpha - 1) * (alpha - 1) * (alpha - 2)) : kInfinity;
}

// The integral of S beyond t > minimum is t S(t) / (alpha - 1), hence S_e = (minimum / t)^(alpha - 1) / alpha
// there.
double Pareto::stationary_survival(double t) const {
  if (alpha <= 1 || t <= 0) return 1;
  return t <= minimum ? 1 - t / mean() : math_pow(minimum / t, alpha - 1) / alpha;
}

double Pareto::stationary_cumulative_hazard(double t) const {
  if (alpha <= 1 || t <= 0) return 0;
  return t <= minimum ? -math_log1p(-t / mean()) : (alpha - 1) * math_log(t / minimum) + math_log(alpha);
}

double Pareto::time_at_stationary_cumulative_hazard(double h, double) const {
  if (alpha <= 1) return kInfinity;
  const double beyond = h - math_log(alpha);
  return beyond <= 0 ? mean() * reached_at_hazard(h) : minimum * math_exp(beyond / (alpha - 1));
}

double Pareto::residual(double age, double u) const {
  return age <= minimum ? time_at_survival(u) - age : age * math_expm1(-math_log(u) / alpha);
}

// --- uniform

Uniform::Uniform(double low_, double high_) : low(low_), high(high_) {
  expect(low >= 0 && low < high, "the argument is in its domain: low >= 0 && low < high");
}

double Uniform::survival(double t) const { return t <= low ? 1 : t >= high ? 0 : (high - t) / (high - low); }

double Uniform::cumulative_hazard(double t) const {
  return t <= low ? 0 : t >= high ? kInfinity : -math_log1p(-(t - low) / (high - low));
}

double Uniform::time_at_survival(double s) const { return low + (1 - s) * (high - low); }

double Uniform::time_at_cumulative_hazard(double h) const {
  return low + reached_at_hazard(h) * (high - low);
}

// The integral of S beyond t in [low, high] is (high - t)^2 / (2 (high - low)).
double Uniform::stationary_survival(double t) const {
  if (t <= low) return t <= 0 ? 1 : 1 - t / mean();
  return t >= high ? 0 : (high - t) * (high - t) / (2 * (high - low) * mean());
}

double Uniform::stationary_cumulative_hazard(double t) const {
  if (t <= low) return -math_log1p(-at_least_zero(t) / mean());
  if (t >= high) return kInfinity;
  return -math_log1p(-low / mean()) - 2 * math_log1p(-(t - low) / (high - low));
}

double Uniform::time_at_stationary_cumulative_hazard(double h, double) const {
  const double beyond = h + math_log1p(-low / mean());
  return beyond <= 0 ? mean() * reached_at_hazard(h) : low + (high - low) * reached_at_hazard(0.5 * beyond);
}

double Uniform::residual(double age, double u) const {
  if (age >= high) return 0;
  return age <= low ? time_at_survival(u) - age : (high - age) * (1 - u);
}

// --- constant

Constant::Constant(double value_) : value(value_) {
  expect(value >= 0, "the argument is in its domain: value >= 0");
}

double Constant::survival(double t) const { return t < value ? 1 : 0; }

double Constant::cumulative_hazard(double t) const { return t < value ? 0 : kInfinity; }

double Constant::time_at_survival(double) const { return value; }

double Constant::time_at_cumulative_hazard(double) const { return value; }

double Constant::stationary_survival(double t) const { return t <= 0 ? 1 : t >= value ? 0 : 1 - t / value; }

double Constant::stationary_cumulative_hazard(double t) const {
  return t >= value ? kInfinity : -math_log1p(-at_least_zero(t) / value);
}

double Constant::time_at_stationary_cumulative_hazard(double h, double) const {
  return value * reached_at_hazard(h);
}

double Constant::residual(double age, double) const { return at_least_zero(value - age); }

// --- empirical

namespace {

/// Of `count` equally likely values in ascending order, the index of the first at which survival is at most
/// s.
std::size_t index_at_survival(std::size_t count, double s) {
  const auto above = static_cast<std::size_t>(static_cast<double>(count) * s);
  return count - 1 - std::min(above, count - 1);
}

/// How many of the values are at most t.
std::size_t count_upto(const std::vector<double>& values, double t) {
  return static_cast<std::size_t>(std::upper_bound(values.begin(), values.end(), t) - values.begin());
}

}  // namespace

Empirical::Empirical(std::vector<double> values) {
  expect(!values.empty(), "there is at least one");
  std::sort(values.begin(), values.end());
  expect(values.front() >= 0 && values.back() > 0,
         "the argument is in its domain: values.front() >= 0 && values.back() > 0");
  std::vector<double> sums{0};
  sums.reserve(values.size() + 1);
  for (const double value : values) sums.push_back(sums.back() + value);
  sample = std::make_shared<const Sample>(Sample{std::move(values), std::move(sums)});
}

double Empirical::survival(double t) const {
  const std::size_t size = sample->values.size();
  return static_cast<double>(size - count_upto(sample->values, t)) / static_cast<double>(size);
}

double Empirical::cumulative_hazard(double t) const {
  const double s = survival(t);
  return s == 1 ? 0 : -math_log(s);
}

double Empirical::time_at_survival(double s) const {
  return sample->values[index_at_survival(sample->values.size(), s)];
}

double Empirical::time_at_cumulative_hazard(double h) const { return time_at_survival(math_exp(-h)); }

double Empirical::variance() const {
  const double center = mean();
  double sum = 0;
  for (const double value : sample->values) sum += (value - center) * (value - center);
  return sum / static_cast<double>(sample->values.size());
}

double Empirical::stationary_survival(double t) const {
  if (t <= 0) return 1;
  const std::size_t k = count_upto(sample->values, t);
  const double total = sample->sum_upto.back();
  const double left = static_cast<double>(sample->values.size() - k);
  return at_least_zero((total - sample->sum_upto[k]) - t * left) / total;
}

double Empirical::stationary_cumulative_hazard(double t) const {
  if (t <= 0) return 0;
  const std::size_t k = count_upto(sample->values, t);
  const double left = static_cast<double>(sample->values.size() - k);
  return hazard_of((sample->sum_upto[k] + t * left) / sample->sum_upto.back(), stationary_survival(t));
}

// The integral of S is a chain of straight pieces with its corners at the values.
double Empirical::time_at_stationary_cumulative_hazard(double h, double) const {
  const std::vector<double>& values = sample->values;
  const std::vector<double>& sums = sample->sum_upto;
  const double total = sums.back();
  const double area = h < kLogOfTwo ? total * reached_at_hazard(h) : total - total * math_exp(-h);
  std::size_t first = 0;  // the first value up to which the integral is at least `area`
  std::size_t last = values.size() - 1;
  while (first < last) {
    const std::size_t middle = first + (last - first) / 2;
    const double left = static_cast<double>(values.size() - middle);
    if (sums[middle] + values[middle] * left < area) {
      first = middle + 1;
    } else {
      last = middle;
    }
  }
  const double time = (area - sums[first]) / static_cast<double>(values.size() - first);
  return std::clamp(time, first == 0 ? 0.0 : values[first - 1], values[first]);
}

double Empirical::residual(double age, double u) const {
  const std::vector<double>& values = sample->values;
  const std::size_t gone = count_upto(values, age);
  if (gone == values.size()) return 0;
  return values[gone + index_at_survival(values.size() - gone, u)] - age;
}

Empirical Empirical::scaled(double factor) const {
  std::vector<double> values = sample->values;
  for (double& value : values) value *= factor;
  return Empirical(std::move(values));
}

}  // namespace gauntlet::detail
