#include "study/uncertainty/two_level.hpp"

#include "core/contract.hpp"
#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "study/binomial.hpp"
#include "study/finish/finish.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace gauntlet {
namespace {

/// The ratio of totals of some runs, and what each run adds to it: residuals of mean zero.
struct Ratio {
  double value = 0;
  std::vector<double> residuals;
};

std::optional<Ratio> ratio_of(std::span<const Fraction> runs) {
  double numerator = 0, denominator = 0;
  for (const Fraction& run : runs) {
    numerator += run.numerator;
    denominator += run.denominator;
  }
  if (!(denominator > 0)) return std::nullopt;
  Ratio out{.value = numerator / denominator, .residuals = {}};
  const double size = denominator / static_cast<double>(runs.size());
  for (const Fraction& run : runs)
    out.residuals.push_back((run.numerator - out.value * run.denominator) / size);
  return out;
}

/// A draw's runs, and beside them those with the parameters as given.
struct Pair {
  Ratio drawn, given;
};

double squares_around_mean(std::span<const double> values) {
  double mean = 0, squares = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

double variance_of(std::span<const double> values) {
  return squares_around_mean(values) / (static_cast<double>(values.size()) - 1);
}

/// The pooled regression coefficient, within draws, of the drawn runs on those as given.
double coefficient(std::span<const Pair> pairs) {
  double both = 0, given = 0;
  for (const Pair& pair : pairs)
    for (std::size_t i = 0; i < pair.given.residuals.size(); ++i) {
      both += pair.drawn.residuals[i] * pair.given.residuals[i];
      given += pair.given.residuals[i] * pair.given.residuals[i];
    }
  return given > 0 ? both / given : 0;
}

/// The variance within draws of y - beta b.
double variance_within(std::span<const Pair> pairs, double beta) {
  double squares = 0, degrees = 0;
  for (const Pair& pair : pairs) {
    for (std::size_t i = 0; i < pair.drawn.residuals.size(); ++i) {
      const double residual = pair.drawn.residuals[i] - beta * pair.given.residuals[i];
      squares += residual * residual;
    }
    degrees += static_cast<double>(pair.drawn.residuals.size()) - 1;
  }
  return squares / degrees;
}

/// The mean of a normal distribution of that mean and deviation, cut off below zero.
double mean_above_zero(double mean, double deviation) {
  constexpr double kFar = 6;  // deviations below zero, beyond which what is left is exponential
  if (!(deviation > 0)) return std::max(0.0, mean);
  const double at = mean / deviation;
  if (at < -kFar) return deviation / -at;
  const double density = math_exp(-at * at / 2) / std::sqrt(2 * std::numbers::pi);
  return mean + deviation * density / normal_survival(-at);
}

}  // namespace

Interval TwoLevelMean::ci95() const {
  const double half_width = student_t_quantile(0.975, static_cast<double>(draws) - 1) * std::sqrt(variance);
  return {mean - half_width, mean + half_width};
}

std::optional<DrawnMeans> drawn_means(std::span<const Fraction> given,
                                      std::span<const std::vector<Fraction>> drawn) {
  const std::size_t each = drawn.empty() ? 0 : drawn.front().size();
  expect(each >= 2 && given.size() == each * drawn.size(),
         "every draw has runs of its own, and as many as given");
  DrawnMeans out;
  std::vector<Pair> pairs;
  for (std::size_t draw = 0; draw < drawn.size(); ++draw) {
    auto of_draw = ratio_of(drawn[draw]), as_given = ratio_of(given.subspan(draw * each, each));
    if (!of_draw || !as_given) continue;
    out.draws.push_back(draw);
    pairs.push_back({std::move(*of_draw), std::move(*as_given)});
  }
  if (pairs.size() < 2) return std::nullopt;
  const double beta = coefficient(pairs), draws = static_cast<double>(pairs.size());
  for (const Pair& pair : pairs) {
    out.effect += (pair.drawn.value - pair.given.value) / draws;
    out.means.push_back(pair.drawn.value);
    out.without_common.push_back(pair.drawn.value - beta * pair.given.value);
    out.run_variances.push_back(variance_within({&pair, 1}, 0));
  }
  out.common_error = variance_within(pairs, beta) / static_cast<double>(each);
  return out;
}

std::optional<TwoLevelMean> two_level_mean(std::span<const Fraction> given,
                                           std::span<const std::vector<Fraction>> drawn) {
  const std::optional<Ratio> all = ratio_of(given);
  const std::optional<DrawnMeans> found = drawn_means(given, drawn);
  if (!all || !found) return std::nullopt;
  TwoLevelMean out;
  out.draws = found->draws.size();
  const double draws = static_cast<double>(out.draws), runs = static_cast<double>(drawn.front().size());
  // A ratio of few runs is a little off, alike in both: as an effect on the ratio of all runs it is not. Of a metric that
  // is not a ratio this is the mean of the drawn runs.
  out.mean = all->value + found->effect;
  const double scatter = variance_of(found->without_common), by_runs = found->common_error;
  const double error =
      std::sqrt(2 * scatter * scatter / (draws - 1) + 2 * by_runs * by_runs / (draws * (runs - 1)));
  out.parameter_variance = mean_above_zero(scatter - by_runs, error);
  for (const double variance : found->run_variances) out.run_variance += variance / draws;
  out.variance = out.parameter_variance + variance_of(found->means) / draws;
  return out;
}

ClusteredShare clustered_share(std::span<const double> shares, std::size_t runs) {
  expect(shares.size() >= 2, "a scatter is of two draws at least");
  const double draws = static_cast<double>(shares.size());
  ClusteredShare out;
  for (const double share : shares) out.value += share;
  out.value /= draws;
  out.variance = variance_of(shares) / draws;
  out.independent = draws;
  if (const bool some = out.value > 0 && out.value < 1; some && out.variance > 0) {
    const double t = student_t_quantile(0.975, draws - 1) / normal_quantile(0.975);
    out.independent =
        std::min(static_cast<double>(runs), out.value * (1 - out.value) / out.variance) / (t * t);
  }
  out.ci95 = clopper_pearson(out.value * out.independent, out.independent, 0.95);
  return out;
}

FinishTimes percentiles_of_draws(std::span<const std::vector<double>> draws) {
  std::vector<double> all, shares;
  for (const std::vector<double>& draw : draws) all.insert(all.end(), draw.begin(), draw.end());
  return percentiles_with_intervals(all, [&](double by) {
    shares.clear();
    for (const std::vector<double>& draw : draws) {
      const auto done = std::count_if(draw.begin(), draw.end(), [by](double at) { return at <= by; });
      shares.push_back(static_cast<double>(done) / static_cast<double>(draw.size()));
    }
    return clustered_share(shares, all.size()).independent;
  });
}

}  // namespace gauntlet
