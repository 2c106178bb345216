// Laws of chance: how long something lives, or lasts, in seconds.
//
// One concept carries all of them: a law is its survival function S(t) = P(T > t), the inverse of it, its
// mean, and its integrated survival. The last gives the stationary law of the remaining life of a component
// that has been renewed for ever and is looked at in the middle of a life: S_e(t) = 1 - (integral from 0 to t
// of S) / mean (Cox, "Renewal Theory", 1962, sec. 5.4).
//
// A sample takes exactly one draw u of its stream and is the t with S(t) = u, so that a change of law keeps
// every other sample where it was, and a larger mean gives a later failure on the same seed.
//
// Tails are computed from the cumulative hazard H = -log S, which neither underflows nor cancels.
#pragma once

#include "core/math/elementary.hpp"
#include "core/random/law_kinds.hpp"
#include "core/random/stream.hpp"

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gauntlet {

/// A law of positive durations. A regular value: cheap to copy, comparable, immutable but for assignment.
/// Parameters outside the stated ranges are a bug of the caller (users' numbers are validated in config/) and
/// assert.
class Law {
 public:
  /// mean > 0.
  static Law exponential(double mean);
  /// S(t) = exp(-(t / scale)^shape); scale > 0, shape > 0. Shape below 1: infant mortality; above 1: wear.
  static Law weibull(double scale, double shape);
  static Law weibull_with_mean(double mean, double shape);
  /// log T is normal with mean log(median) and standard deviation sigma > 0.
  static Law lognormal(double median, double sigma);
  static Law lognormal_with_mean(double mean, double sigma);
  /// Density proportional to t^(shape - 1) exp(-t shape / mean); mean > 0, shape > 0.
  static Law gamma(double mean, double shape);
  /// S(t) = (minimum / t)^alpha from `minimum` > 0 on; alpha > 0. The mean is infinite where alpha <= 1.
  static Law pareto(double minimum, double alpha);
  /// alpha > 1.
  static Law pareto_with_mean(double mean, double alpha);
  /// An exponential law picked at random: means[i] with probability weights[i] / sum. As many of each, none
  /// empty, all positive.
  static Law hyperexponential(std::span<const double> weights, std::span<const double> means);
  /// 0 <= low < high.
  static Law uniform(double low, double high);
  /// value >= 0: what takes no time at all has a law too.
  static Law constant(double value);
  /// Each of the values is equally likely; at least one, none negative, not all zero. In any order.
  static Law empirical(std::vector<double> values);

  /// One of law_names().
  std::string_view name() const;
  /// The parameters by the names that scenarios give them; none of a law that has lists of them.
  std::vector<std::pair<std::string_view, double>> parameters() const;

  /// P(T > t); 1 below zero.
  double survival(double t) const;
  /// -log S(t), infinite where nothing survives.
  double cumulative_hazard(double t) const;
  /// Whether the hazard accumulates without jumps: not where single values have a probability of their own.
  bool has_density() const;
  /// May be infinite.
  double mean() const;
  /// May be infinite.
  double variance() const;

  /// The first t with S(t) <= s, 0 <= s <= 1; at s = 1 the start of the support, at s = 0 its end (may be
  /// infinite).
  double time_at_survival(double s) const;
  /// The same with S given as its cumulative hazard h >= 0: exact where S is within rounding of 1, or
  /// underflows.
  double time_at_cumulative_hazard(double h) const;

  /// One draw. That of a constant is skipped: whatever comes after it stays where it was.
  double sample(Stream& stream) const {
    if (const auto* constant = std::get_if<detail::Constant>(&kind_)) {
      stream.skip();
      return constant->value;
    }
    const double u = stream.uniform();
    if (const auto* exponential = std::get_if<detail::Exponential>(&kind_)) {
      return -exponential->mean_life * math_log(u);
    }
    return time_at_survival(u);
  }

  /// What is left of a life that has reached `age` >= 0; one draw. Zero where no life reaches that age.
  double residual(double age, Stream& stream) const;

  /// The remaining life at a random instant of an endless renewal process: P(remaining > t). A law of
  /// infinite mean has no such thing; the limit is returned (1 for every t, a time of infinity).
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  /// `guess`, if positive, is where the numerical inversion starts; it changes the result by rounding only
  /// (1e-12).
  double time_at_stationary_cumulative_hazard(double h, double guess = 0) const;

  /// What is left after `elapsed` >= 0 of a remaining life that was stationary at zero; one draw.
  double stationary_residual(double elapsed, Stream& stream) const;

  /// The law of factor * T: the same shape, the mean times `factor` > 0.
  Law scaled(double factor) const;

  friend bool operator==(const Law&, const Law&) = default;

 private:
  explicit Law(detail::LawKind kind) : kind_(std::move(kind)) {}

  detail::LawKind kind_;
};

/// The names by which laws are chosen, in the order of the makers above.
std::span<const std::string_view> law_names();

}  // namespace gauntlet
