#include "commands/plan/table.hpp"

#include "commands/plan/words.hpp"
#include "report/table.hpp"
#include "report/tails.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

namespace gauntlet {
namespace {

struct PlanColumn {
  std::string name;
  const PlanOutcome* of;
  const Uncertainty* unknown;  // null where the parameters are taken as given
};

std::vector<PlanColumn> columns(const PlanResult& result) {
  std::vector<PlanColumn> all = {{"as given", &result.as_given, drawn(result.uncertainty)}};
  if (result.enough) all.push_back({"enough", &*result.enough, drawn(result.enough_uncertainty)});
  if (result.best) all.push_back({"best tried", &*result.best, drawn(result.best_uncertainty)});
  return all;
}

/// A row of a figure of every column.
template <class Figure>
void add_column_row(TextTable& table, const std::vector<PlanColumn>& columns, std::string name,
                    const Figure& figure) {
  std::vector<std::string> row = {std::move(name)};
  for (const PlanColumn& column : columns) row.push_back(figure(column));
  table.rows.push_back(std::move(row));
}

/// A row of a figure that no parameter changes, or that is of the parameters as given.
template <class Figure>
void add_row(TextTable& table, const std::vector<PlanColumn>& columns, std::string name,
             const Figure& figure) {
  add_column_row(table, columns, std::move(name),
                 [&](const PlanColumn& column) { return figure(*column.of); });
}

std::string mean_text(const std::optional<double>& mean, const std::optional<Interval>& ci95,
                      const Unit& unit) {
  if (!mean) return "unknown";
  const double error = half_width(ci95);
  const Unit shown = unit.fine_enough_for(error);
  return shown.number(*mean) + (error > 0 ? " +- " + shown.number(error) : "");
}

/// The rows of the answer, by one computation with the first line of the report.
std::string share_cell(const PlanColumn& column) {
  return column.unknown != nullptr ? share_text(column.unknown->share_by_date, column.unknown->share_ci95)
                                   : share_text(column.of->by_date);
}

const FinishTimes& finish_of(const PlanColumn& column) {
  return column.unknown != nullptr ? column.unknown->finish : column.of->finish;
}

std::string cost_cell(const PlanColumn& column, bool priced, const Unit& unit) {
  if (column.unknown == nullptr) {
    const Statistics& cost = priced ? column.of->cost : column.of->gpu_hours;
    return mean_text(cost.mean, cost.ci95, unit);
  }
  const UncertainMetric* cost = column.unknown->find(priced ? "cost" : "gpu_hours");
  return cost != nullptr ? mean_text(cost->mean, cost->ci95, unit) : "unknown";
}

void add_sizes(TextTable& table, const std::vector<PlanColumn>& all) {
  const auto count = [](auto value) { return count_text(static_cast<double>(value)); };
  add_row(table, all, "GPUs", [&](const PlanOutcome& of) { return count(of.size.gpus); });
  add_row(table, all, "data-parallel replicas",
          [&](const PlanOutcome& of) { return count(of.size.replicas); });
  add_row(table, all, "spare hosts", [&](const PlanOutcome& of) { return count(of.size.spares); });
  if (!all.front().of->size.storage_write.empty())
    add_row(table, all, "storage, write", [](const PlanOutcome& of) { return of.size.storage_write; });
  if (!all.front().of->size.storage_read.empty())
    add_row(table, all, "storage, read", [](const PlanOutcome& of) { return of.size.storage_read; });
  add_row(table, all, "repair crew", [&](const PlanOutcome& of) {
    return of.size.crew > 0 ? count(of.size.crew) : std::string("unlimited");
  });
  add_row(table, all, "global batch, sequences",
          [&](const PlanOutcome& of) { return count(of.size.global_batch); });
  add_row(table, all, "steps", [&](const PlanOutcome& of) { return count(of.size.steps); });
}

/// In a column whose name has the unit.
std::string finish_cell(const FinishTimes& of, std::size_t percent, const Unit& unit) {
  if (!is_known(of, percent)) return "-";
  const std::optional<double> at = of.at(percent);
  if (!at) return "never";
  const std::optional<Interval> ci95 = of.ci95_at(percent);
  if (!ci95) return unit.number(*at);
  return fmt::format("{} ({} to {})", unit.number(*at), unit.number(ci95->low), unit.number(ci95->high));
}

/// Of a run that may have any percentile, or be among the worst.
std::string date_cell(const std::optional<double>& at, bool known, const CalendarDay& start) {
  if (!known) return "-";
  return at ? to_text(day_after(start, *at)) : "never";
}

std::vector<std::string> worst_row(const PlanResult& result, const std::vector<PlanColumn>& all,
                                   const Unit& unit) {
  std::vector<std::string> row = {"mean of worst 5%"};
  for (const PlanColumn& column : all) {
    const FinishTimes& finish = finish_of(column);
    const bool known = finish.runs >= kFewestForWorst5;
    const std::optional<double>& worst = finish.worst_5_mean;
    row.push_back(!known ? "-" : worst ? unit.number(*worst) : "never");
    if (result.start) row.push_back(date_cell(worst, known, *result.start));
  }
  return row;
}

/// The unit in which the largest of these changes is easy to read.
Unit change_unit(double largest) { return largest > 0 ? time_unit(largest) : Unit{3600, "h", 1}; }

std::string metric_label(std::string_view name, const std::string& currency) {
  if (name == "ettr") return "ETTR, %";
  if (name == "wall_time_s") return "mean finish, days";
  if (name == "cost") return "cost, M " + currency;
  if (name == "gpu_hours") return "GPU-hours, k";
  return std::string(name);
}

Unit uncertain_unit(std::string_view name, const std::string& currency) {
  if (name == "ettr") return percent();
  if (name == "wall_time_s") return {.divisor = 86'400, .name = "days", .decimals = 1};
  if (name == "cost") return {.divisor = 1e6, .name = "M " + currency, .decimals = 2};
  if (name == "gpu_hours") return {.divisor = 1e3, .name = "k", .decimals = 1};
  return {.divisor = 1, .name = "", .decimals = 1};
}

}  // namespace

std::string size_table(const PlanResult& result) {
  const std::vector<PlanColumn> all = columns(result);
  TextTable table;
  table.header = {""};
  for (const PlanColumn& column : all) table.header.push_back(column.name);
  add_sizes(table, all);
  if (result.finish_by_s) {
    const std::string by_date = "done by " + deadline_text(result);
    if (drawn(result.uncertainty) != nullptr)
      add_row(table, all, by_date + ", parameters as given",
              [](const PlanOutcome& of) { return share_text(of.by_date); });
    add_column_row(table, all, by_date, share_cell);
  }
  const bool priced = result.facts.has_price();
  const Statistics PlanOutcome::*cost = priced ? &PlanOutcome::cost : &PlanOutcome::gpu_hours;
  const Unit money =
      amount_unit((result.as_given.*cost).mean.value_or(0), priced ? result.facts.currency : "");
  const std::string what = priced ? "cost" : "GPU-hours";
  add_column_row(table, all, money.name.empty() ? what : what + ", " + money.name,
                 [&](const PlanColumn& of) { return cost_cell(of, priced, money); });
  return to_text(table);
}

std::string finish_table(const PlanResult& result) {
  const std::vector<PlanColumn> all = columns(result);
  Unit unit = date_unit(result);
  for (const PlanColumn& column : all)
    if (const auto ci95 = finish_of(column).ci95_at(50)) unit = unit.fine_enough_for(half_width(ci95));
  TextTable table;
  table.header = {"runs done"};
  for (const PlanColumn& column : all) {
    table.header.push_back(fmt::format("{}, {}", column.name, unit.name));
    if (result.start) table.header.emplace_back("date");
  }
  for (const std::size_t percent : result.percents) {
    std::vector<std::string> row = {fmt::format("{}%", percent)};
    for (const PlanColumn& column : all) {
      const FinishTimes& finish = finish_of(column);
      row.push_back(finish_cell(finish, percent, unit));
      if (result.start)
        row.push_back(date_cell(finish.at(percent), is_known(finish, percent), *result.start));
    }
    table.rows.push_back(std::move(row));
  }
  table.rows.push_back(worst_row(result, all, unit));
  std::uint64_t fewest = finish_of(all.front()).runs;
  for (const PlanColumn& column : all) fewest = std::min(fewest, finish_of(column).runs);
  const std::string needs = tails_need(fewest);
  return to_text(table) + (needs.empty() ? "" : "  -: " + needs + "\n");
}

std::string purchase_table(const std::vector<Purchase>& bought, bool dated, const std::string& currency) {
  const bool priced = !currency.empty();
  double largest = 0, dearest = 0;
  for (const Purchase& each : bought) {
    for (const Change* change : {&each.p95, &each.mean})
      largest = std::max(largest, std::abs(change->by.value_or(0)));
    dearest = std::max(dearest, std::abs(each.cost.by.value_or(0)));
  }
  const Unit time = change_unit(largest), share = {.divisor = 0.01, .name = "%", .decimals = 1};
  const Unit money = amount_unit(dearest, priced ? currency : "GPU-hours");
  TextTable table;
  table.header = {"one more"};
  if (dated) table.header.emplace_back("done by date, %");
  for (const std::string& name :
       {fmt::format("finish of 95%, {}", time.name), fmt::format("mean finish, {}", time.name),
        priced ? "cost, " + money.name : money.name})
    table.header.push_back(name);
  for (const Purchase& each : bought) {
    std::vector<std::string> row = {each.what};
    if (dated) row.push_back(change_text(each.share, share));
    for (const std::string& cell :
         {change_text(each.p95, time), change_text(each.mean, time), change_text(each.cost, money)})
      row.push_back(cell);
    table.rows.push_back(std::move(row));
  }
  return to_text(table);
}

std::string tornado_table(const Tornado& tornado) {
  const bool time = tornado.target == "finish.p50";
  double widest = 0;
  for (const Sensitivity& bar : tornado.bars)
    widest = std::max({widest, std::abs(bar.at_low.by.value_or(0)), std::abs(bar.at_high.by.value_or(0))});
  const Unit unit = (time ? change_unit(widest) : percent()).fine_enough_for(widest / 10);
  TextTable table;
  table.header = {
      "parameter", "5% value", "95% value", unit.name + " at 5% value", "", unit.name + " at 95% value"};
  for (const Sensitivity& bar : tornado.bars)
    table.rows.push_back({bar.path, bar.low, bar.high, change_text(bar.at_low, unit),
                          bar_text(bar.at_low.by.value_or(0), bar.at_high.by.value_or(0), widest),
                          change_text(bar.at_high, unit)});
  return to_text(table);
}

std::string source_table(const Uncertainty& of) {
  constexpr std::size_t kMostRows = 12;
  TextTable table;
  table.header = {"parameter", "given", "5% value", "95% value", "share of variance"};
  const std::vector<RankedSource> all = ranked_sources(of);
  double rest = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const UncertainParameter none{
        .path = all[i].name, .given = "", .low = "", .high = "", .distribution = ""};
    const UncertainParameter& parameter = all[i].parameter != nullptr ? *all[i].parameter : none;
    if (i < kMostRows)
      table.rows.push_back({parameter.path, parameter.given, parameter.low, parameter.high,
                            share_text(all[i].share, all[i].ci95)});
    else
      rest += all[i].share;
  }
  if (all.size() > kMostRows)
    table.rows.push_back({fmt::format("{} more", all.size() - kMostRows), "", "", "", percent_text(rest)});
  return to_text(table);
}

/// "23.1 to 25.0", "23.1 to gave up"
std::string range_text(const UncertainMetric& metric, const Unit& unit) {
  const std::string none = metric.name == "wall_time_s" ? "never"
                           : metric.gave_up > 0         ? "gave up"
                                                        : "unknown";
  if (!metric.p5) return none;
  return unit.number(*metric.p5) + " to " + (metric.p95 ? unit.number(*metric.p95) : none);
}

std::string uncertainty_table(const Uncertainty& of, const std::string& currency) {
  TextTable table;
  table.header = {"mean", "as given", kWithParameters.data(), "one run, 5% to 95%", "parameter variance"};
  for (const UncertainMetric& metric : of.metrics) {
    const bool finish = metric.name == "wall_time_s";
    const bool known = !finish || of.known_never == 0, done = !finish || of.finish.never == 0;
    if (!metric.known.mean || (done && !metric.mean)) continue;
    const Unit unit =
        uncertain_unit(metric.name, currency).fine_enough_for(known ? half_width(metric.known.ci95) : 0);
    const auto with = [&](double mean, const std::optional<Interval>& interval) {
      return unit.number(mean) + " +- " + unit.number(half_width(interval));
    };
    const double total = done ? metric.parameter_variance + metric.run_variance : 0;
    table.rows.push_back({metric_label(metric.name, currency),
                          known ? with(*metric.known.mean, metric.known.ci95) : "never",
                          done ? with(*metric.mean, metric.ci95) : "never", range_text(metric, unit),
                          total > 0 ? percent_text(metric.parameter_variance / total) : "-"});
  }
  return to_text(table);
}

}  // namespace gauntlet
