// The laws one by one: what law.hpp holds in a variant. Use Law; these are its parts.
//
// Every kind gives the same twelve functions, with the meaning that law.hpp states for them:
//   survival, cumulative_hazard, time_at_survival, time_at_cumulative_hazard, mean, variance,
//   stationary_survival, stationary_cumulative_hazard, time_at_stationary_cumulative_hazard, residual,
//   scaled, name.
// Fields after the parameters are derived from them once, because every sample needs them.
#pragma once

#include <memory>
#include <string_view>
#include <variant>
#include <vector>

namespace gauntlet::detail {

struct Exponential {
  double mean_life;

  explicit Exponential(double mean_life);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return mean_life; }
  double variance() const { return mean_life * mean_life; }
  double stationary_survival(double t) const { return survival(t); }
  double stationary_cumulative_hazard(double t) const { return cumulative_hazard(t); }
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Exponential scaled(double factor) const { return Exponential(mean_life * factor); }
  static constexpr std::string_view name() { return "exponential"; }
  friend bool operator==(const Exponential&, const Exponential&) = default;
};

struct Weibull {
  double scale, shape;
  double inverse_shape, mean_life;

  Weibull(double scale, double shape);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return mean_life; }
  double variance() const;
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Weibull scaled(double factor) const { return Weibull(scale * factor, shape); }
  static constexpr std::string_view name() { return "weibull"; }
  friend bool operator==(const Weibull&, const Weibull&) = default;
};

struct Lognormal {
  double median, sigma;
  double mean_life;

  Lognormal(double median, double sigma);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return mean_life; }
  double variance() const;
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Lognormal scaled(double factor) const { return Lognormal(median * factor, sigma); }
  static constexpr std::string_view name() { return "lognormal"; }
  friend bool operator==(const Lognormal&, const Lognormal&) = default;
};

struct Gamma {
  double mean_life, shape;
  double scale;  // mean_life / shape

  Gamma(double mean_life, double shape);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return mean_life; }
  double variance() const { return mean_life * scale; }
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Gamma scaled(double factor) const { return Gamma(mean_life * factor, shape); }
  static constexpr std::string_view name() { return "gamma"; }
  friend bool operator==(const Gamma&, const Gamma&) = default;
};

struct Pareto {
  double minimum, alpha;

  Pareto(double minimum, double alpha);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const;
  double variance() const;
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Pareto scaled(double factor) const { return Pareto(minimum * factor, alpha); }
  static constexpr std::string_view name() { return "pareto"; }
  friend bool operator==(const Pareto&, const Pareto&) = default;
};

/// A mixture of exponentials. Its stationary law is one too: each phase weighs with the time spent in it.
struct Hyperexponential {
  struct Phase {
    double weight;  // probability of a life in this phase
    /// Probability to find a life of this phase at a random instant: weight * mean / mean of the law.
    double stationary_weight;
    double mean;
    friend bool operator==(const Phase&, const Phase&) = default;
  };
  using Phases = std::vector<Phase>;

  std::shared_ptr<const Phases> phases;  // slowest first; shared, because laws are copied and never change
  double mean_life;

  /// Weights need not add up to one; each phase's `mean` and `weight` are read, the rest is derived.
  explicit Hyperexponential(Phases phases);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return mean_life; }
  double variance() const;
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Hyperexponential scaled(double factor) const;
  static constexpr std::string_view name() { return "hyperexponential"; }
  friend bool operator==(const Hyperexponential& a, const Hyperexponential& b) {
    return *a.phases == *b.phases;
  }
};

struct Uniform {
  double low, high;

  Uniform(double low, double high);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return low + 0.5 * (high - low); }
  double variance() const { return (high - low) * (high - low) / 12; }
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Uniform scaled(double factor) const { return Uniform(low * factor, high * factor); }
  static constexpr std::string_view name() { return "uniform"; }
  friend bool operator==(const Uniform&, const Uniform&) = default;
};

struct Constant {
  double value;

  explicit Constant(double value);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return value; }
  double variance() const { return 0; }
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Constant scaled(double factor) const { return Constant(value * factor); }
  static constexpr std::string_view name() { return "constant"; }
  friend bool operator==(const Constant&, const Constant&) = default;
};

struct Empirical {
  struct Sample {
    std::vector<double> values;    // ascending
    std::vector<double> sum_upto;  // sum_upto[i]: the sum of the first i values
  };

  std::shared_ptr<const Sample> sample;  // shared, because laws are copied and never change

  /// In any order.
  explicit Empirical(std::vector<double> values);
  double survival(double t) const;
  double cumulative_hazard(double t) const;
  double time_at_survival(double s) const;
  double time_at_cumulative_hazard(double h) const;
  double mean() const { return sample->sum_upto.back() / static_cast<double>(sample->values.size()); }
  double variance() const;
  double stationary_survival(double t) const;
  double stationary_cumulative_hazard(double t) const;
  double time_at_stationary_cumulative_hazard(double h, double guess) const;
  double residual(double age, double u) const;
  Empirical scaled(double factor) const;
  static constexpr std::string_view name() { return "empirical"; }
  friend bool operator==(const Empirical& a, const Empirical& b) {
    return a.sample->values == b.sample->values;
  }
};

using LawKind = std::variant<Exponential, Weibull, Lognormal, Gamma, Pareto, Hyperexponential, Uniform,
                             Constant, Empirical>;

}  // namespace gauntlet::detail
