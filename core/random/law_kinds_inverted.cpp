// The laws of which a part has to be inverted numerically: Weibull, lognormal, gamma, hyperexponential.
#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "core/random/inversion.hpp"
#include "core/random/law_kinds.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet::detail {
namespace {

/// -log Q(a, x): the cumulative hazard of a gamma law of scale 1.
double gamma_hazard(double a, double x) {
  return x < a ? -math_log1p(-incomplete_gamma_p(a, x)) : -math_log(incomplete_gamma_q(a, x));
}

/// The x with -log Q(a, x) = h.
double invert_gamma_hazard(double a, double h, double guess) {
  const double log_gamma_a = log_gamma(a);
  if (!(guess > 0)) {
    // Wilson and Hilferty 1931: the cube root of a gamma variable is nearly normal; left of that, P is nearly
    // x^a / Gamma(a + 1).
    const double p = reached_at_hazard(h);
    const double z = h < kLogOfTwo ? normal_quantile(p) : -normal_quantile(math_exp(-h));
    const double root = 1 - 1 / (9 * a) + z / (3 * std::sqrt(a));
    guess = root > 0.3 ? a * root * root * root : math_exp((math_log(p * a) + log_gamma_a) / a);
    if (!(guess < kInfinity)) guess = h;
  }
  return invert_hazard(h, guess, [a, log_gamma_a](double x) {
    const double hazard = gamma_hazard(a, x);
    const double log_density = (a - 1) * math_log(x) - x - log_gamma_a;
    return HazardAt{hazard, math_exp(log_density + hazard)};
  });
}

}  // namespace

// --- Weibull

Weibull::Weibull(double scale_, double shape_)
    : scale(scale_),
      shape(shape_),
      inverse_shape(1 / shape),
      mean_life(scale * gamma_function(1 + 1 / shape)) {
  expect(scale > 0 && shape > 0, "the argument is in its domain: scale > 0 && shape > 0");
}

double Weibull::survival(double t) const { return math_exp(-cumulative_hazard(t)); }

double Weibull::cumulative_hazard(double t) const { return t <= 0 ? 0 : math_pow(t / scale, shape); }

double Weibull::time_at_survival(double s) const { return scale * math_pow(-math_log(s), inverse_shape); }

double Weibull::time_at_cumulative_hazard(double h) const { return scale * math_pow(h, inverse_shape); }

double Weibull::variance() const {
  const double first = gamma_function(1 + inverse_shape);
  return scale * scale * (gamma_function(1 + 2 * inverse_shape) - first * first);
}

// With x = (t / scale)^shape the integral of S up to t is mean * P(1 / shape, x).
double Weibull::stationary_survival(double t) const {
  return t <= 0 ? 1 : incomplete_gamma_q(inverse_shape, cumulative_hazard(t));
}

double Weibull::stationary_cumulative_hazard(double t) const {
  return t <= 0 ? 0 : gamma_hazard(inverse_shape, cumulative_hazard(t));
}

double Weibull::time_at_stationary_cumulative_hazard(double h, double guess) const {
  return scale * math_pow(invert_gamma_hazard(inverse_shape, h, cumulative_hazard(guess)), inverse_shape);
}

double Weibull::residual(double age, double u) const {
  return at_least_zero(time_at_cumulative_hazard(cumulative_hazard(age) - math_log(u)) - at_least_zero(age));
}

// --- lognormal

Lognormal::Lognormal(double median_, double sigma_)
    : median(median_), sigma(sigma_), mean_life(median * math_exp(0.5 * sigma * sigma)) {
  expect(median > 0 && sigma > 0, "the argument is in its domain: median > 0 && sigma > 0");
}

double Lognormal::survival(double t) const {
  return t <= 0 ? 1 : normal_survival(math_log(t / median) / sigma);
}

double Lognormal::cumulative_hazard(double t) const {
  if (t <= 0) return 0;
  const double z = math_log(t / median) / sigma;
  return hazard_of(normal_survival(-z), normal_survival(z));
}

double Lognormal::time_at_survival(double s) const { return median * math_exp(-sigma * normal_quantile(s)); }

double Lognormal::time_at_cumulative_hazard(double h) const {
  const double z = h < kLogOfTwo ? normal_quantile(reached_at_hazard(h)) : -normal_quantile(math_exp(-h));
  return median * math_exp(sigma * z);
}

double Lognormal::variance() const { return mean_life * mean_life * math_expm1(sigma * sigma); }

// By parts: the integral of S up to t is t S(t) + (integral of x f(x)), and the latter is mean * Phi(z -
// sigma).
double Lognormal::stationary_survival(double t) const {
  if (t <= 0) return 1;
  const double z = math_log(t / median) / sigma;
  return at_least_zero(normal_survival(z - sigma) - t * normal_survival(z) / mean_life);
}

double Lognormal::stationary_cumulative_hazard(double t) const {
  if (t <= 0) return 0;
  const double z = math_log(t / median) / sigma;
  const double corner = t * normal_survival(z) / mean_life;
  return hazard_of(corner + normal_survival(sigma - z), at_least_zero(normal_survival(z - sigma) - corner));
}

double Lognormal::time_at_stationary_cumulative_hazard(double h, double guess) const {
  return invert_hazard(h, guess > 0 ? guess : mean_life * h, [this](double t) {
    const double hazard = stationary_cumulative_hazard(t);
    return HazardAt{hazard, survival(t) * math_exp(hazard) / mean_life};
  });
}

double Lognormal::residual(double age, double u) const {
  if (age <= 0) return time_at_survival(u);
  const double hazard = cumulative_hazard(age);
  // Beyond 38 standard deviations S underflows; the hazard rate there is z / (sigma t) to one part in 1,400.
  if (hazard == kInfinity) return -math_log(u) * age * sigma * sigma / math_log(age / median);
  return at_least_zero(time_at_cumulative_hazard(hazard - math_log(u)) - age);
}

// --- gamma

Gamma::Gamma(double mean_life_, double shape_)
    : mean_life(mean_life_), shape(shape_), scale(mean_life / shape) {
  expect(mean_life > 0 && shape > 0, "the argument is in its domain: mean_life > 0 && shape > 0");
}

double Gamma::survival(double t) const { return t <= 0 ? 1 : incomplete_gamma_q(shape, t / scale); }

double Gamma::cumulative_hazard(double t) const { return t <= 0 ? 0 : gamma_hazard(shape, t / scale); }

double Gamma::time_at_survival(double s) const { return time_at_cumulative_hazard(-math_log(s)); }

double Gamma::time_at_cumulative_hazard(double h) const { return scale * invert_gamma_hazard(shape, h, 0); }

// By parts, with x = t / scale: the integral of S up to t is t S(t) + mean * P(shape + 1, x).
double Gamma::stationary_survival(double t) const {
  if (t <= 0) return 1;
  const double x = t / scale;
  return at_least_zero(incomplete_gamma_q(shape + 1, x) - x / shape * incomplete_gamma_q(shape, x));
}

double Gamma::stationary_cumulative_hazard(double t) const {
  if (t <= 0) return 0;
  const double x = t / scale;
  if (x < shape + 1) {
    const double reached = x / shape * incomplete_gamma_q(shape, x) + incomplete_gamma_p(shape + 1, x);
    if (reached < 0.5) return -math_log1p(-reached);
  }
  return -math_log(stationary_survival(t));
}

double Gamma::time_at_stationary_cumulative_hazard(double h, double guess) const {
  return invert_hazard(h, guess > 0 ? guess : mean_life * h, [this](double t) {
    const double hazard = stationary_cumulative_hazard(t);
    return HazardAt{hazard, survival(t) * math_exp(hazard) / mean_life};
  });
}

double Gamma::residual(double age, double u) const {
  if (age <= 0) return time_at_survival(u);
  const double hazard = cumulative_hazard(age);
  if (hazard == kInfinity) return -math_log(u) * scale;  // S underflows: the tail is exponential
  return at_least_zero(time_at_cumulative_hazard(hazard - math_log(u)) - age);
}

// --- hyperexponential

namespace {

using Phase = Hyperexponential::Phase;

double mixed_survival(const Hyperexponential& law, double Phase::*weight, double t) {
  if (t <= 0) return 1;
  double sum = 0;
  for (const Phase& phase : *law.phases) sum += phase.*weight * math_exp(-t / phase.mean);
  return sum;
}

/// H and its rate. The slowest phase is taken out of the sum, which then cannot underflow.
HazardAt mixed_hazard(const Hyperexponential& law, double Phase::*weight, double t) {
  const double slowest = law.phases->front().mean;
  double survival = 0;  // of t, times exp(t / slowest)
  double density = 0;
  double reached = 0;
  for (const Phase& phase : *law.phases) {
    const double part = phase.*weight * math_exp(t / slowest - t / phase.mean);
    survival += part;
    density += part / phase.mean;
    reached -= phase.*weight * math_expm1(-t / phase.mean);
  }
  return {reached < 0.5 ? -math_log1p(-reached) : t / slowest - math_log(survival), density / survival};
}

double invert_mixture(const Hyperexponential& law, double Phase::*weight, double h, double guess) {
  return invert_hazard(h, guess > 0 ? guess : law.mean_life * h,
                       [&](double t) { return mixed_hazard(law, weight, t); });
}

}  // namespace

Hyperexponential::Hyperexponential(Phases given) : mean_life(0) {
  expect(!given.empty(), "there is at least one");
  double sum = 0;
  for (const Phase& phase : given) {
    expect(phase.weight > 0 && phase.mean > 0,
           "the argument is in its domain: phase.weight > 0 && phase.mean > 0");
    sum += phase.weight;
  }
  std::stable_sort(given.begin(), given.end(),
                   [](const Phase& a, const Phase& b) { return a.mean > b.mean; });
  for (Phase& phase : given) {
    phase.weight /= sum;
    mean_life += phase.weight * phase.mean;
  }
  for (Phase& phase : given) phase.stationary_weight = phase.weight * phase.mean / mean_life;
  phases = std::make_shared<const Phases>(std::move(given));
}

double Hyperexponential::survival(double t) const { return mixed_survival(*this, &Phase::weight, t); }

double Hyperexponential::cumulative_hazard(double t) const {
  return t <= 0 ? 0 : mixed_hazard(*this, &Phase::weight, t).hazard;
}

double Hyperexponential::time_at_survival(double s) const { return time_at_cumulative_hazard(-math_log(s)); }

double Hyperexponential::time_at_cumulative_hazard(double h) const {
  return invert_mixture(*this, &Phase::weight, h, 0);
}

double Hyperexponential::variance() const {
  double square = 0;
  for (const Phase& phase : *phases) square += 2 * phase.weight * phase.mean * phase.mean;
  return square - mean_life * mean_life;
}

double Hyperexponential::stationary_survival(double t) const {
  return mixed_survival(*this, &Phase::stationary_weight, t);
}

double Hyperexponential::stationary_cumulative_hazard(double t) const {
  return t <= 0 ? 0 : mixed_hazard(*this, &Phase::stationary_weight, t).hazard;
}

double Hyperexponential::time_at_stationary_cumulative_hazard(double h, double guess) const {
  return invert_mixture(*this, &Phase::stationary_weight, h, guess);
}

double Hyperexponential::residual(double age, double u) const {
  if (age <= 0) return time_at_survival(u);
  return at_least_zero(time_at_cumulative_hazard(cumulative_hazard(age) - math_log(u)) - age);
}

Hyperexponential Hyperexponential::scaled(double factor) const {
  Phases scaled_phases = *phases;
  for (Phase& phase : scaled_phases) phase.mean *= factor;
  return Hyperexponential(std::move(scaled_phases));
}

}  // namespace gauntlet::detail
