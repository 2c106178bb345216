#include "report/sections/figures.hpp"

#include "report/losses.hpp"
#include "report/metric_unit.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gauntlet {
namespace {

std::string with_unit(const std::string& number, const Unit& unit) {
  if (unit.name.empty() || unit.name == "%") return number + unit.name;
  return number + " " + unit.name;
}

Unit unit_of(const Summary& summary, std::string_view metric, const Statistics& of) {
  return metric_unit(metric, *of.mean, summary.facts.currency).fine_enough_for(half_width(of.ci95));
}

/// "91.0 to 92.0% in 90% of runs"
std::string scatter_text(const Statistics& of, const Unit& unit) {
  if (!of.p5 || !of.p95 || of.sd.value_or(0) == 0) return "";
  return fmt::format("{} to {} in 90% of runs", unit.number(*of.p5), with_unit(unit.number(*of.p95), unit));
}

std::string cell(const std::optional<double>& value, const Unit& unit) {
  return value ? unit.number(*value) : "";
}

/// "91.49% ± 0.06", "1.3 days"
std::string mean_text(const Statistics& of, const Unit& unit) {
  if (!of.mean) return "unknown";
  const double half = of.sd != 0 ? half_width(of.ci95) : 0;
  return with_unit(unit.number(*of.mean), unit) + (half > 0 ? " ± " + unit.number(half) : "");
}

}  // namespace

std::optional<Fact> fact_of(const Summary& summary, std::string_view metric, std::string name) {
  const Statistics* of = summary.find(metric);
  if (of == nullptr || !of->mean) return std::nullopt;
  const Unit unit = unit_of(summary, metric, *of);
  return Fact{.name = std::move(name), .value = mean_text(*of, unit), .note = scatter_text(*of, unit)};
}

std::vector<Fact> main_figures(const Summary& summary) {
  std::vector<Fact> facts;
  const auto add = [&](std::string_view metric, const char* name) {
    if (auto fact = fact_of(summary, metric, name)) facts.push_back(std::move(*fact));
  };
  add("ettr", "ETTR");
  add("mfu", "MFU");
  add("wall_time_s", "Wall time");
  if (const double lost = total(losses_by_phase(summary)); lost > 0)
    facts.push_back({.name = "Lost per run", .value = time_text(lost)});
  add("interruptions", "Interruptions per run");
  add("cost", "Cost per run");
  add("cost.lost", "Cost of lost time");
  return facts;
}

PageTable figures_table(const Summary& summary) {
  PageTable table{.title = "All figures, with percentiles of single runs",
                  .header = {"figure", "unit", "mean", "±", "p1", "p5", "p50", "p95", "p99", "worst 5%"},
                  .rows = {},
                  .folded = true};
  for (const NamedStatistics& metric : summary.metrics) {
    const Statistics& of = metric.statistics;
    const bool of_parts = metric.name.starts_with("lost_s.") || metric.name.starts_with("faults.") ||
                          metric.name.starts_with("detection.by_kind.");
    if (of_parts || !of.mean) continue;
    const Unit unit = unit_of(summary, metric.name, of);
    const double half = half_width(of.ci95);
    table.rows.push_back({"`" + metric.name + "`", unit.name, unit.number(*of.mean),
                          half > 0 ? unit.number(half) : "", cell(of.p1, unit), cell(of.p5, unit),
                          cell(of.p50, unit), cell(of.p95, unit), cell(of.p99, unit),
                          cell(of.worst_5_mean, unit)});
  }
  return table;
}

ChartUnit chart_unit(std::string_view metric) {
  const Unit unit = metric_unit(metric, 1, "money");
  if (unit.name == "%") return ChartUnit::percent;
  if (metric.starts_with("cost")) return ChartUnit::money;
  return is_time(metric) ? ChartUnit::duration : ChartUnit::number;
}

std::optional<Chart> distribution_chart(const Summary& summary, std::string_view metric, std::string title,
                                        std::string axis, std::vector<double> values) {
  const Statistics* of = summary.find(metric);
  if (of == nullptr) return std::nullopt;
  auto chart = distribution_of(std::move(title), {.title = std::move(axis), .unit = chart_unit(metric)},
                               std::move(values), *of);
  return chart ? std::optional<Chart>(std::move(*chart)) : std::nullopt;
}

}  // namespace gauntlet
