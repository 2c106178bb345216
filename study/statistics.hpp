// Statistics of one metric, and of all metrics of a study. Quantiles are exact: of each metric every value is looked at, and
// of as many metrics at once as a fixed budget of memory holds.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "study/controlled_ratio.hpp"
#include "study/mean_interval.hpp"
#include "study/store/store.hpp"
#include "study/summary/metrics.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// The most memory that the values of a pass over the store take. A value is 16 bytes: a numerator and a denominator.
inline constexpr std::uint64_t kValueBudget = 64 << 20;

static_assert(std::uint64_t{kMostReplicas} * sizeof(Fraction) <= kValueBudget);

/// Statistics of one metric, which depend on its values, their order and the controls of its replicas alone. The mean and its
/// error: study/controlled_ratio.hpp. What is said of single runs (sd, percentiles) is of the values as they are, and so is the
/// share of runs in which something happened, whose interval is exact.
class MetricStatistics {
 public:
  /// Both parts are finite, and the denominator is not negative. `ending`: of the run, which matters to a metric of whole runs.
  void add(Fraction of, Ending ending = Ending::completed);
  /// `worse`: the metric's, whose values make the worst 5%; `value`: the metric's; `controls`: of the replicas that were added.
  Statistics statistics(Worse worse = Worse::neither, RunValue value = RunValue::amount,
                        const Controls& controls = {}) const;
  /// Makes room for so many values, so that memory does not grow beyond it by halves.
  void reserve(std::size_t values) { numerators_.reserve(values); }

 private:
  double denominator(std::size_t i) const { return denominators_.empty() ? 1 : denominators_[i]; }

  Fraction fraction(std::size_t i) const { return {numerators_[i], denominator(i)}; }
  ControlledRatio ratio(const Controls& controls) const;
  ResidualMoments residuals(const ControlledRatio& around) const;
  Interval share_interval() const;

  std::vector<double> numerators_;
  std::vector<double> denominators_;    // empty while all are 1
  std::vector<std::uint32_t> gave_up_;  // the places of such runs among the values
};

/// The quantile at `p` of sorted values, linear between order statistics: definition 7 of Hyndman and Fan (The American
/// Statistician 50(4), 1996, https://doi.org/10.1080/00031305.1996.10473566). There is at least one value.
double quantile(const std::vector<double>& sorted, double p);

/// The same of these and `beyond` more values that are higher than all numbers. Nothing where it falls among them, which is where
/// they are the share 1 - p or more, or where there is no value.
std::optional<double> quantile_below(const std::vector<double>& sorted, std::uint64_t beyond, double p);

/// The mean of the lowest or the highest 5% of sorted values, the order statistic at the cut weighted by its part: of 21
/// values, (first + 0.05 second) / 1.05. That is the expected shortfall of the sample (Acerbi and Tasche, Journal of Banking
/// & Finance 26(7), 2002, https://doi.org/10.1016/S0378-4266(02)00283-2, def. 2.6). It lies on the quantile's bad side, or on
/// it. There are at least kFewestForWorst5 values, and low or high ones are worse.
double mean_of_worst_5(const std::vector<double>& sorted, Worse worse);

/// Statistics of every metric (of one that pools latencies, the mean is their quantile) over the first `count` replicas of a point,
/// which are there; kMostReplicas at most. In passes over the store, of as many metrics each as `budget` holds (bytes; of one at
/// least); beside that, controls take some hundred bytes a replica. The result does not depend on the budget.
Summary summarize(const Store& store, std::uint32_t point, std::uint32_t count,
                  std::uint64_t budget = kValueBudget);

/// The same; `also` sees each replica once.
Summary summarize(const Store& store, std::uint32_t point, std::uint32_t count, const Store::See& also);

/// The same of replicas at hand, in their order.
Summary summarize(const ScenarioFacts& facts, std::span<const Figures> replicas);

}  // namespace gauntlet
