#include "commands/trace/fit/law_fit.hpp"

#include "commands/trace/fit/goodness.hpp"
#include "core/contract.hpp"
#include "core/math/special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gauntlet {
namespace {

constexpr double kHalfLog2Pi = 0.91893853320467274178;
// Shapes beyond these are those of samples that hardly vary, or of values over hundreds of digits.
constexpr double kLeastShape = 1e-3, kMostShape = 1e6;

/// Where a Weibull law of this shape has its likelihood's slope, and how much the logarithms vary under its weights.
struct WeibullSlope {
  double slope;     // of the profile likelihood, over -n: rises with the shape, zero at the estimate
  double variance;  // of the logarithms, each weighted with value^shape
};

WeibullSlope weibull_slope(const Durations& sample, double shape) {
  const double top = sample.logs().back();  // the largest weight is one, so that none overflows
  double weights = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < sample.values().size(); ++i) {
    const double log = sample.logs()[i] - top;
    const double weight = sample.counts()[i] * math_exp(shape * log);
    weights += weight;
    first += weight * log;
    second += weight * log * log;
  }
  const double mean = first / weights;
  return {mean + top - 1 / shape - sample.mean_log(), second / weights - mean * mean};
}

double weibull_scale(const Durations& sample, double shape) {
  const double top = sample.logs().back();
  double weights = 0;
  for (std::size_t i = 0; i < sample.values().size(); ++i)
    weights += sample.counts()[i] * math_exp(shape * (sample.logs()[i] - top));
  return math_exp(top + math_log(weights / sample.size()) / shape);
}

/// Durations that differ by less, relative to each other, are one duration: beyond it shapes are rounding.
constexpr double kLeastSpread = 1e-5;

bool can_be_fitted(const Durations& sample) {
  return sample.values().size() > 1 && !sample.has_zero() && sample.sd_log() > kLeastSpread;
}

FittedLaw finished(FittedLaw fit, const Durations& sample) {
  fit.aic = 2 * (fit.free_parameters - fit.log_likelihood);
  const Distances distances = distances_of(sample, fit.law);
  fit.kolmogorov_smirnov = distances.kolmogorov_smirnov;
  fit.anderson_darling = distances.anderson_darling;
  return fit;
}

FittedLaw exponential(const Durations& sample) {
  const double mean = sample.mean();
  return finished({.law = Law::exponential(mean),
                   .parameters = {{"mean_s", mean}},
                   .free_parameters = 1,
                   .shape_error = {},
                   .log_likelihood = -sample.size() * (math_log(mean) + 1)},
                  sample);
}

FittedLaw weibull(const Durations& sample) {
  const auto [shape, scale, error] = fit_weibull(sample);
  const double each = math_log(shape / scale) + (shape - 1) * (sample.mean_log() - math_log(scale)) - 1;
  return finished({.law = Law::weibull(scale, shape),
                   .parameters = {{"shape", shape}, {"scale_s", scale}},
                   .free_parameters = 2,
                   .shape_error = error,
                   .log_likelihood = sample.size() * each},
                  sample);
}

FittedLaw lognormal(const Durations& sample) {
  const double median = math_exp(sample.mean_log()), sigma = sample.sd_log();
  const double each = -sample.mean_log() - math_log(sigma) - kHalfLog2Pi - 0.5;
  return finished({.law = Law::lognormal(median, sigma),
                   .parameters = {{"sigma", sigma}, {"mu", sample.mean_log()}, {"median_s", median}},
                   .free_parameters = 2,
                   .shape_error = sigma / std::sqrt(2 * sample.size()),
                   .log_likelihood = sample.size() * each},
                  sample);
}

FittedLaw gamma(const Durations& sample) {
  const auto [shape, mean, error] = fit_gamma(sample);
  const double each =
      shape * math_log(shape / mean) - log_gamma(shape) + (shape - 1) * sample.mean_log() - shape;
  return finished({.law = Law::gamma(mean, shape),
                   .parameters = {{"shape", shape}, {"mean_s", mean}},
                   .free_parameters = 2,
                   .shape_error = error,
                   .log_likelihood = sample.size() * each},
                  sample);
}

FittedLaw hyperexponential(const Durations& sample) {
  const HyperexponentialFit fit = fit_hyperexponential(sample);
  const double weights[] = {fit.weight, 1 - fit.weight}, means[] = {fit.first_mean, fit.second_mean};
  return finished({.law = Law::hyperexponential(weights, means),
                   .parameters = {{"weight", fit.weight},
                                  {"first_mean_s", fit.first_mean},
                                  {"second_mean_s", fit.second_mean}},
                   .free_parameters = 3,
                   .shape_error = {},
                   .log_likelihood = fit.log_likelihood},
                  sample);
}

}  // namespace

WeibullFit fit_weibull(const Durations& sample) {
  expect(can_be_fitted(sample), "two different values, none of them zero");
  double low = kLeastShape, high = kMostShape;
  // Of a Weibull law the logarithm's standard deviation is pi / (sqrt(6) shape).
  double shape = std::clamp(1.2825498301618641 / sample.sd_log(), low, high);
  for (int step = 0; step < 200; ++step) {
    const auto [slope, variance] = weibull_slope(sample, shape);
    (slope > 0 ? high : low) = shape;
    const double next = shape - slope / (variance + 1 / (shape * shape));
    const double kept = next > low && next < high ? next : std::sqrt(low * high);
    const bool there = std::abs(kept - shape) <= 1e-14 * shape;
    shape = kept;
    if (there) break;
  }
  const double information = sample.size() * (weibull_slope(sample, shape).variance + 1 / (shape * shape));
  return {shape, weibull_scale(sample, shape), 1 / std::sqrt(information)};
}

GammaFit fit_gamma(const Durations& sample) {
  expect(can_be_fitted(sample), "two different values, none of them zero");
  const double gap = math_log(sample.mean()) - sample.mean_log();  // above zero: the values differ
  // Start and step: T. Minka, "Estimating a Gamma distribution", 2002, https://tminka.github.io/papers/minka-gamma.pdf
  double shape = gap > 0 ? (3 - gap + std::sqrt((gap - 3) * (gap - 3) + 24 * gap)) / (12 * gap) : kMostShape;
  shape = std::clamp(shape, kLeastShape, kMostShape);
  for (int step = 0; step < 100 && shape > kLeastShape && shape < kMostShape; ++step) {
    const double inverse =
        1 / shape + (math_log(shape) - digamma(shape) - gap) / (shape - shape * shape * trigamma(shape));
    const double next = std::clamp(inverse > 0 ? 1 / inverse : 2 * shape, kLeastShape, kMostShape);
    const bool there = std::abs(next - shape) <= 1e-13 * shape;
    shape = next;
    if (there) break;
  }
  const double information = sample.size() * (trigamma(shape) - 1 / shape);
  return {shape, sample.mean(), 1 / std::sqrt(information)};
}

std::vector<FittedLaw> fit_laws(const Durations& sample) {
  std::vector<FittedLaw> fits;
  if (sample.mean() <= 0) return fits;
  fits.push_back(exponential(sample));
  if (!can_be_fitted(sample)) return fits;
  fits.push_back(weibull(sample));
  fits.push_back(lognormal(sample));
  fits.push_back(gamma(sample));
  fits.push_back(hyperexponential(sample));
  return fits;
}

std::optional<std::size_t> best_of(std::span<const FittedLaw> fits) {
  if (fits.empty()) return std::nullopt;
  return static_cast<std::size_t>(std::ranges::min_element(fits, {}, &FittedLaw::aic) - fits.begin());
}

}  // namespace gauntlet
