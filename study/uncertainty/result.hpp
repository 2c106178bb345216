// Figures with what is not known about the scenario's parameters carried into them.
#pragma once

#include "study/finish/result.hpp"
#include "study/published/step_error.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What an interval covers that has more in it than kIntervalCovers.
inline constexpr std::string_view kWithParameters = "with parameter uncertainty";

/// A parameter that is not known, for people.
struct UncertainParameter {
  std::string path;          // "faults.nic.rate.count"
  std::string given;         // what the scenario says: "7"
  std::string low, high;     // its 5% and 95% values
  std::string distribution;  // "posterior of 7 over 54d x 2048 hosts", "lognormal"
  std::string cut = {};      // where draws end before their distribution does: where, and why
};

/// A part of a variance, and where it is with 95%.
struct VarianceShare {
  double value = 0;
  Interval ci95;
};

/// What the variance of the finish of one run comes from (variance_shares.hpp). The shares add up to 1.
struct VarianceShares {
  double variance = 0;                  // of one run
  std::vector<VarianceShare> unknowns;  // one for each parameter
  /// Curvature, and parameters that act together. Without an interval: squares of squares tell their own scatter badly.
  double joint = 0;
  VarianceShare runs;  // the faults that a run meets by chance
};

struct UncertainMetric {
  std::string name;
  Statistics known;            // with the parameters as given: its intervals are Monte Carlo only
  std::optional<double> mean;  // over parameters and runs; of the finish absent where a run never finishes
  /// Where the mean at the true parameters is: with parameter uncertainty, and what draws and runs leave to chance.
  std::optional<Interval> ci95;
  double parameter_variance = 0, run_variance = 0;  // of one run: they add up to its variance
  /// Of one run, with parameter uncertainty. Absent where the percentile falls among the `gave_up` of so many runs, which count
  /// as in Statistics.
  std::optional<double> p5, p50, p95;
  std::uint64_t gave_up = 0, runs = 0;
};

struct Uncertainty {
  std::uint32_t draws = 0, replicas_each = 0;
  std::uint64_t runs() const { return std::uint64_t{draws} * replicas_each; }
  std::vector<UncertainParameter> parameters;
  std::vector<UncertainMetric> metrics;
  std::optional<StepTimeError> step_error;  // of a modelled step time, where it was drawn by default
  /// Absent where the scenario has no work, no run differs from another, or a run never completes the work.
  std::optional<VarianceShares> finish_variance;
  /// Where the scenario has work to do.
  FinishTimes finish;             // of one run, with parameter uncertainty; intervals: of draws and runs
  std::uint64_t known_never = 0;  // runs with the parameters as given that never complete the work
  std::optional<double> share_by_date;  // of such runs; absent without a date
  /// What chance leaves open of that share: of draws and of runs. The parameters are in the share itself.
  std::optional<Interval> share_ci95;

  const UncertainMetric* find(std::string_view name) const {
    for (const UncertainMetric& metric : metrics)
      if (metric.name == name) return &metric;
    return nullptr;
  }
};

}  // namespace gauntlet
