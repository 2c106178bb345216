// What a scenario does not know, drawn instead of given: rates from the posterior of their count, the fields that
// study.uncertain names from their range, and a modelled step time from the errors of the step model (study/published/step_error.hpp).
//
// A rate that was seen as n failures over an exposure has, with Jeffreys' prior for a Poisson rate, the posterior
// Gamma(n + 1/2, exposure) (Box and Tiao, Bayesian Inference in Statistical Analysis, 1973, sec. 1.3.4). Since a scenario
// gives the count, the count is what is drawn: Gamma(n + 1/2, 1), over the same exposure. The shape of a law that is not
// exponential is taken as known.
#pragma once

#include "study/experiment.hpp"
#include "study/point.hpp"
#include "study/published/step_error.hpp"
#include "study/uncertainty/finish_times.hpp"
#include "study/uncertainty/result.hpp"
#include "study/vary.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// A parameter with a distribution in place of its value.
struct Unknown {
  enum class Shape : std::uint8_t { posterior, lognormal, normal, uniform, log_t };
  std::string path;
  Shape shape = Shape::posterior;
  FieldKind kind = FieldKind::number;
  std::string currency = {};  // of money
  bool whole = false;         // only whole numbers
  double low = 0, high = 0;   // 5% and 95% values; of a posterior the count in both
  double degrees = 0;         // of freedom, of log_t
  double least = 0;           // of which no value is below: physics allows none
  UncertainParameter shown;

  /// The value with the probability `p` below it, 0 < p < 1. A lognormal, normal or uniform one whose low end is above
  /// zero is never below zero: what lies there is cut off. A log-t ends at its 0.1% and 99.9% values (core/math/log_t.hpp).
  double value_at(double p) const;
  /// The same as a draw uses it: a whole number where only these are.
  double used_at(double p) const;
  /// The same as --set takes it; the ends of study.uncertain as they were written.
  std::string text_at(double p) const;
};

/// The key that a draw of the step model's error sets.
inline constexpr std::string_view kStepTimeFactor = "job.step_time_factor";
/// The key of a measured step time, which may be drawn where the scenario has a modelled one.
inline constexpr std::string_view kStepTime = "job.step_time";

/// The error of a modelled step time that is drawn by default. Nothing of a measured one, where study.step_time_error is false,
/// and where study.uncertain has said it in its own way: of kStepTimeFactor, of kStepTime or of a key of job.calibration.
std::optional<StepTimeError> drawn_step_error(const Scenario& scenario);

/// Everything that a scenario does not know, by path: each fault's rate that is a count over an exposure,
/// study.uncertain, which comes before a posterior of the same path, and the error of a modelled step time.
std::vector<Unknown> unknowns_of(const Scenario& scenario, const Value& resolved);

/// One value of each, independent of each other: draw `number` of the study. A pure function; another unknown, more or
/// less, changes none of the others.
Settings draw_of(std::span<const Unknown> unknowns, std::uint64_t seed, std::uint32_t number);
/// The same as numbers.
std::vector<double> values_of(std::span<const Unknown> unknowns, std::uint64_t seed, std::uint32_t number);

/// How many runs each draw gets where every variant of a plan gets `replicas`: a 25th, and eight at least.
std::uint32_t replicas_of_draw(std::uint32_t replicas);

/// How a study of uncertainty spends its replicas: many draws, few runs of each.
struct UncertaintyOptions {
  std::uint64_t seed = 0;
  std::uint32_t draws = 200;
  std::uint32_t replicas_each = 8;  // two at least
  std::vector<std::string> metrics = {"ettr", "interruptions", "wall_time_s", "cost",
                                      "gpu_hours"};  // those that the scenario has
  std::optional<double> finish_by = std::nullopt;    // seconds
};

struct CarriedUncertainty {
  std::optional<Uncertainty> result;  // absent where the experiment was stopped, or a draw is not a scenario
  FinishEffects finish;               // where the scenario has work to do, and something is not known
  std::vector<Problem> problems;      // of draws that are not a scenario
  /// Where the scenario has work to do: the finishing times of each draw's runs (seconds, infinite: never).
  std::vector<std::vector<double>> finish_times = {};
};

/// Carries the unknowns of a point into its figures. `settings`: what makes the point of `source`; the figures as given are
/// those of its first `replicas`. Every draw meets faults that no other draw meets (draw j those of replicas j n to
/// j n + n - 1), and the point as given meets all of them too. Means and their intervals: two_level.hpp. One run with
/// parameter uncertainty is any run of any draw: quantiles, and the share that is done by the date, are over all of these.
/// Which unknown causes how much of the variance of the finish: variance_shares.hpp.
CarriedUncertainty carry_uncertainty(Experiment& experiment, const PointSource& source,
                                     const Settings& settings, PointNumber point, std::uint32_t replicas,
                                     const UncertaintyOptions& options);

}  // namespace gauntlet
