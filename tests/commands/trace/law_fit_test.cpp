#include "commands/trace/fit/law_fit.hpp"

#include "commands/trace/fit/goodness.hpp"
#include "core/math/special.hpp"
#include "core/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace gauntlet {
namespace {

constexpr std::uint64_t kFitSeed = 11;

std::vector<double> drawn(const Law& law, std::size_t count) {
  Stream stream({.study = kFitSeed}, stream_name("test.law_fit"));
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(law.sample(stream));
  return out;
}

const FittedLaw& fit_named(const std::vector<FittedLaw>& fits, std::string_view name) {
  for (const FittedLaw& fit : fits)
    if (fit.law.name() == name) return fit;
  throw std::runtime_error("no such fit");
}

double value_of(const FittedLaw& fit, std::string_view name) {
  for (const FittedParameter& parameter : fit.parameters)
    if (parameter.name == name) return parameter.value;
  throw std::runtime_error("no such parameter");
}

TEST(LawFits, RecoverShapesWithinTheirStandardErrors) {
  struct Row {
    Law law;
    const char* parameter;
    double value;
  };
  for (const std::size_t count : {300U, 20'000U}) {
    for (const Row& row : {Row{Law::weibull(3600, 0.65), "shape", 0.65}, Row{Law::weibull(10, 3), "shape", 3},
                           Row{Law::lognormal(3600, 1.4), "sigma", 1.4},
                           Row{Law::gamma(500, 0.4), "shape", 0.4}, Row{Law::gamma(500, 6), "shape", 6}}) {
      const std::vector<FittedLaw> fits = fit_laws(Durations(drawn(row.law, count)));
      const FittedLaw& fit = fit_named(fits, row.law.name());
      const double z = (value_of(fit, row.parameter) - row.value) / fit.shape_error.value();
      EXPECT_LT(std::fabs(z), 4) << row.law.name() << " " << row.value << ", seed " << kFitSeed;
      if (count > 1000) {
        EXPECT_EQ(fits[best_of(fits).value()].law.name(), row.law.name());
      }
      // A true law keeps within Kolmogorov's distance, whose 99.9% point is 1.95 / sqrt(n); fitted ones are nearer.
      EXPECT_LT(fit.kolmogorov_smirnov, 1.95 / std::sqrt(static_cast<double>(count)));
    }
  }
}

TEST(LawFits, StandardErrorsAreTheSpreadOfEstimates) {
  // 400 samples of 100: the standardised estimates have a standard deviation of 1 +- 4 x 0.035.
  Stream stream({.study = kFitSeed}, stream_name("test.law_fit.spread"));
  const Law weibull = Law::weibull(100, 0.7), gamma = Law::gamma(100, 0.5);
  double of_weibull = 0, of_gamma = 0;
  for (int i = 0; i < 400; ++i) {
    std::vector<double> a, b;
    for (int n = 0; n < 100; ++n) {
      a.push_back(weibull.sample(stream));
      b.push_back(gamma.sample(stream));
    }
    const WeibullFit first = fit_weibull(Durations(a));
    const GammaFit second = fit_gamma(Durations(b));
    of_weibull += std::pow((first.shape - 0.7) / first.shape_error, 2);
    of_gamma += std::pow((second.shape - 0.5) / second.shape_error, 2);
  }
  EXPECT_NEAR(std::sqrt(of_weibull / 400), 1, 0.14) << "seed " << kFitSeed;
  EXPECT_NEAR(std::sqrt(of_gamma / 400), 1, 0.14) << "seed " << kFitSeed;
}

TEST(LawFits, RecoverTwoPhases) {
  const double weights[] = {0.3, 0.7}, means[] = {100, 10'000};
  const Durations sample(drawn(Law::hyperexponential(weights, means), 20'000));
  const HyperexponentialFit fit = fit_hyperexponential(sample);
  // Were each value's phase known: sqrt(w (1 - w) / n) = 0.0032, and each mean to its value / sqrt(its n).
  EXPECT_NEAR(fit.weight, 0.3, 4 * 0.005) << "seed " << kFitSeed;
  EXPECT_NEAR(fit.first_mean, 100, 4 * 100 * 0.018) << "seed " << kFitSeed;
  EXPECT_NEAR(fit.second_mean, 10'000, 4 * 10'000 * 0.009) << "seed " << kFitSeed;
  // Every maximum of the likelihood has the sample's mean.
  EXPECT_NEAR((fit.weight * fit.first_mean + (1 - fit.weight) * fit.second_mean) / sample.mean(), 1, 1e-8);
}

TEST(LawFits, AreHighestWhereTheyStand) {
  const Durations sample({60, 120, 120, 300, 4000, 90'000, 180, 60, 7200});
  // Log-likelihood by definition, from the hazard's difference: log f = log(-dS/dt).
  const auto likelihood = [&](const Law& law) {
    double sum = 0;
    for (std::size_t i = 0; i < sample.values().size(); ++i) {
      const double t = sample.values()[i], h = 1e-5 * t;
      sum += sample.counts()[i] * std::log((law.survival(t - h) - law.survival(t + h)) / (2 * h));
    }
    return sum;
  };
  for (const FittedLaw& fit : fit_laws(sample))
    EXPECT_NEAR(likelihood(fit.law), fit.log_likelihood, 1e-4) << fit.law.name();
  const auto [shape, scale, error] = fit_weibull(sample);
  const auto [gamma_shape, mean, gamma_error] = fit_gamma(sample);
  const HyperexponentialFit phases = fit_hyperexponential(sample);
  for (const double off : {0.99, 1.01}) {
    EXPECT_LT(likelihood(Law::weibull(scale, shape * off)), likelihood(Law::weibull(scale, shape)));
    EXPECT_LT(likelihood(Law::weibull(scale * off, shape)), likelihood(Law::weibull(scale, shape)));
    EXPECT_LT(likelihood(Law::gamma(mean, gamma_shape * off)), likelihood(Law::gamma(mean, gamma_shape)));
    const double weights[] = {phases.weight, 1 - phases.weight};
    const double others[] = {phases.weight * off, 1 - phases.weight * off};
    const double means[] = {phases.first_mean, phases.second_mean};
    const double longer[] = {phases.first_mean, phases.second_mean * off};
    const double best = likelihood(Law::hyperexponential(weights, means));
    EXPECT_LT(likelihood(Law::hyperexponential(others, means)), best);
    EXPECT_LT(likelihood(Law::hyperexponential(weights, longer)), best);
  }
}

TEST(LawFits, HaveTheirClosedForms) {
  const std::vector<FittedLaw> fits = fit_laws(Durations({1, std::exp(2.0)}));
  EXPECT_DOUBLE_EQ(value_of(fit_named(fits, "exponential"), "mean_s"), (1 + std::exp(2.0)) / 2);
  EXPECT_DOUBLE_EQ(value_of(fit_named(fits, "lognormal"), "median_s"), std::exp(1.0));
  EXPECT_DOUBLE_EQ(value_of(fit_named(fits, "lognormal"), "sigma"), 1);
  // log k - digamma(k) = log mean - mean log.
  const double k = value_of(fit_named(fits, "gamma"), "shape");
  EXPECT_NEAR(std::log(k) - digamma(k), std::log((1 + std::exp(2.0)) / 2) - 1, 1e-12);
  // AIC: two units for each free parameter.
  for (const FittedLaw& fit : fits)
    EXPECT_DOUBLE_EQ(fit.aic, 2 * fit.free_parameters - 2 * fit.log_likelihood) << fit.law.name();
  EXPECT_EQ(fit_named(fits, "hyperexponential").free_parameters, 3);
}

TEST(LawFits, DoNotDependOnTheUnit) {
  const std::vector<double> seconds = drawn(Law::weibull(3600, 0.7), 500);
  std::vector<double> hours = seconds;
  for (double& value : hours) value /= 3600;
  const auto in_seconds = fit_laws(Durations(seconds)), in_hours = fit_laws(Durations(hours));
  for (std::size_t i = 0; i < in_seconds.size(); ++i) {
    EXPECT_NEAR(in_seconds[i].log_likelihood, in_hours[i].log_likelihood - 500 * std::log(3600), 1e-6);
    EXPECT_NEAR(in_seconds[i].kolmogorov_smirnov, in_hours[i].kolmogorov_smirnov, 1e-9);
    EXPECT_NEAR(in_seconds[i].shape_error.value_or(0), in_hours[i].shape_error.value_or(0), 1e-9);
  }
}

TEST(LawFits, LeaveOutWhatHasNoMaximum) {
  const auto names = [](const std::vector<FittedLaw>& fits) {
    std::string out;
    for (const FittedLaw& fit : fits) out += std::string(fit.law.name()) + " ";
    return out;
  };
  EXPECT_EQ(names(fit_laws(Durations({}))), "");
  EXPECT_EQ(names(fit_laws(Durations({0, 0}))), "");
  EXPECT_EQ(names(fit_laws(Durations({60, 60, 60}))), "exponential ");
  EXPECT_EQ(names(fit_laws(Durations({0, 60, 120}))), "exponential ");
  EXPECT_FALSE(fit_laws(Durations({0, 60, 120})).front().anderson_darling.has_value());
  EXPECT_EQ(names(fit_laws(Durations({60, 120}))), "exponential weibull lognormal gamma hyperexponential ");
  // What hardly varies, and what varies beyond all measure, ends all the same.
  EXPECT_EQ(fit_laws(Durations({1e9, 1e9 + 1e-6})).size(), 1U);
  EXPECT_EQ(fit_laws(Durations({1e9, 1e9 + 1e5})).size(), 5U);
  EXPECT_EQ(fit_laws(Durations({1e-9, 1e9, 1e9})).size(), 5U);
}

TEST(Distances, HaveTheirClosedForms) {
  // A single value at the law's median: F = 1/2, and A^2 = -1 - (log 1/2 + log 1/2).
  const Distances one = distances_of(Durations({std::log(2.0)}), Law::exponential(1));
  EXPECT_NEAR(one.kolmogorov_smirnov, 0.5, 1e-12);
  EXPECT_NEAR(one.anderson_darling.value(), 2 * std::log(2.0) - 1, 1e-12);
  // Values at F = 0.1, 0.2, 0.2 and 0.9: the farthest is above the tie, 3/4 - 0.2.
  std::vector<double> values;
  for (const double reached : {0.9, 0.2, 0.1, 0.2}) values.push_back(-std::log(1 - reached));
  const Distances four = distances_of(Durations(values), Law::exponential(1));
  EXPECT_NEAR(four.kolmogorov_smirnov, 0.55, 1e-12);
  const auto term = [](double i, double reached, double mirrored) {
    return (2 * i - 1) * (std::log(reached) + std::log(1 - mirrored));
  };
  const double sum = term(1, 0.1, 0.9) + term(2, 0.2, 0.2) + term(3, 0.2, 0.2) + term(4, 0.9, 0.1);
  EXPECT_NEAR(four.anderson_darling.value(), -4 - sum / 4, 1e-12);
}

TEST(Samples, KnowTheirMoments) {
  const Durations sample({3, 1, 1, 5});
  EXPECT_EQ(sample.values().size(), 3U);
  EXPECT_DOUBLE_EQ(sample.mean(), 2.5);
  EXPECT_DOUBLE_EQ(sample.median(), 2);
  EXPECT_DOUBLE_EQ(sample.variance(), (0.25 + 2.25 + 2.25 + 6.25) / 4);
  EXPECT_DOUBLE_EQ(Durations({1, 5, 5}).median(), 5);
}

}  // namespace
}  // namespace gauntlet
