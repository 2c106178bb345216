// Laws of chance fitted to durations by maximum likelihood, and how well they fit.
//
// Deterministic, on any machine: own logarithms, no random starts.
#pragma once

#include "commands/trace/fit/durations.hpp"
#include "core/random/law.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

struct FittedParameter {
  std::string
      name;  // "shape", "scale_s"; those in seconds end in _s; "mu" is the mean of the logarithm of seconds
  double value = 0;
};

struct FittedLaw {
  Law law;
  std::vector<FittedParameter> parameters;
  int free_parameters = 1;
  /// Of the shape, or sigma: from the observed information, so for independent durations of this law.
  std::optional<double> shape_error;
  double log_likelihood = 0;  // of durations in seconds
  double aic = 0;             // 2 x free parameters - 2 x log-likelihood; the least is the best
  /// Kolmogorov and Smirnov's distance, sup |F_n - F|, and Anderson and Darling's A^2. As the parameters come from the same
  /// sample, tables of critical values that take them as given do not hold.
  double kolmogorov_smirnov = 0;
  std::optional<double> anderson_darling = {};  // none: infinite where a value is zero
};

/// Exponential, Weibull, lognormal, gamma and hyperexponential (two phases), in this order, less those whose likelihood has no
/// maximum on the sample: all but exponential where a duration is zero, or where all are equal (to 1e-5). Empty where none is above zero.
std::vector<FittedLaw> fit_laws(const Durations& sample);

/// The place of the lowest AIC; nothing of none.
std::optional<std::size_t> best_of(std::span<const FittedLaw> fits);

// --- one by one; the sample's values differ by more than 1e-5, none of them zero ---------------------------------------------

/// Shape and scale, and the shape's standard error.
struct WeibullFit {
  double shape, scale, shape_error;
};
WeibullFit fit_weibull(const Durations& sample);

/// log(shape) - digamma(shape) = log(mean) - mean log.
struct GammaFit {
  double shape, mean, shape_error;
};
GammaFit fit_gamma(const Durations& sample);

/// Two phases, the shorter mean first. By expectation and maximization (Dempster, Laird & Rubin, J. R. Stat.
/// Soc. B 39, 1977), sped up by squared extrapolation (Varadhan & Roland, Scand. J. Stat. 35, 2008), from three stated starts. A
/// sample that varies less than an exponential law has no two phases: both means come out equal, or one weight vanishes.
struct HyperexponentialFit {
  double weight;  // of the first
  double first_mean, second_mean;
  double log_likelihood;
};
HyperexponentialFit fit_hyperexponential(const Durations& sample);

}  // namespace gauntlet
