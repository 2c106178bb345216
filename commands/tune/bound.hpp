// What a study makes best, and bounds that must hold meanwhile: the text of --minimize, --maximize and --subject-to.
//
//   wall_time_s.p95<60d      95% of the runs take at most 60 days
//   gave_up<1%               less than one in a hundred gives up; without a suffix it is the mean
//   cost<2500000USD          the mean cost
#pragma once

#include "core/currency.hpp"
#include "core/problem.hpp"
#include "study/summary/metrics.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// Which figure of a metric.
enum class Statistic : std::uint8_t { mean, p5, p50, p95 };

/// "mean", "p5", "p50", "p95"
std::string_view name_of(Statistic statistic);

/// The figure over these replicas: the ratio of totals for the mean, else the quantile of single replicas
/// (study/statistics.hpp). Nothing where no replica defines it. A replica with an infinite value is worse than all others, and a
/// quantile among them is infinite.
std::optional<double> statistic_of(std::span<const Fraction> values, Statistic statistic);

/// One bound. Equality meets it.
struct Bound {
  std::string text;  // as it was written
  std::string metric;
  Statistic statistic = Statistic::mean;
  bool upper = true;  // the figure is to be below the limit, else above
  double limit = 0;   // in the metric's unit

  bool met(double figure) const { return upper ? figure <= limit : figure >= limit; }
};

struct ParsedBound {
  std::optional<Bound> bound;
  std::optional<Problem> problem;  // where there is none
};

/// `metrics`: the names of those that the scenario has. Metrics in seconds take a duration ("60d"), money takes "2.5USD"
/// in the currency of the scenario, everything else a number or a percentage.
ParsedBound parse_bound(std::string_view text, std::span<const std::string> metrics,
                        std::string_view currency = kDefaultCurrency);

/// What is wrong with the name of a metric, if anything; `option` is where it was said.
std::optional<Problem> problem_of_metric(std::string_view metric, std::span<const std::string> metrics,
                                         std::string_view option);

/// The names of every metric of a scenario.
std::vector<std::string> metric_names(const ScenarioFacts& facts);

}  // namespace gauntlet
