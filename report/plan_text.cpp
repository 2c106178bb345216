#include "report/plan_text.hpp"

#include "report/table.hpp"
#include "report/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kBar = 10;  // characters to each side of a tornado

std::string wrapped(std::string text) {
  std::string out;
  while (text.size() > kWidth) {
    std::size_t end = text.rfind(' ', kWidth);
    if (end == std::string::npos) end = text.find(' ');
    if (end == std::string::npos) break;
    out += text.substr(0, end) + "\n";
    text.erase(0, end + 1);
  }
  return out + text + "\n";
}

std::string painted(const ReportOptions& options, const char* code, std::string_view text) {
  if (options.colour == Colour::never) return std::string(text) + "\n";
  return fmt::format("\x1b[{}m{}\x1b[0m\n", code, text);
}

std::string heading(const ReportOptions& options, std::string_view text) {
  return "\n" + painted(options, "36", text);
}

std::string percent_text(double share) { return fmt::format("{:.1f}%", 100 * share); }

/// "97.0% (93.6 to 98.9)"
std::string share_text(const std::optional<double>& share, const std::optional<Interval>& ci95) {
  if (!share) return "unknown";
  if (!ci95) return percent_text(*share);
  return fmt::format("{} ({:.1f} to {:.1f})", percent_text(*share), 100 * ci95->low, 100 * ci95->high);
}
std::string share_text(const ShareOfRuns& share) { return share_text(share.value(), share.ci95); }

std::string finish_text(const std::optional<double>& at, const Unit& unit) {
  return at ? unit.number(*at) : "never";
}

/// The unit of finishing times.
Unit date_unit(const PlanResult& result) {
  return time_unit(result.as_given.finish.p50.value_or(result.finish_by_s));
}

std::string signed_number(const Unit& unit, double value) {
  const std::string number = unit.number(value);
  const bool zero = number.find_first_not_of("-0.,") == std::string::npos;
  return value > 0 && !zero ? "+" + number : number;
}

double half_width(const std::optional<Interval>& of) { return of ? (of->high - of->low) / 2 : 0; }

/// "-0.41 +- 0.12"; enough digits for the interval to show.
std::string change_text(const Change& change, const Unit& unit) {
  if (!change.by) return "unknown";
  constexpr double kRounding = 1e-9;  // what is left where nothing is to chance
  double error = half_width(change.ci95);
  if (error < kRounding * std::abs(*change.by)) error = 0;
  if (error == 0 && *change.by == 0) return "0";
  const Unit shown = unit.fine_enough_for(error > 0 ? error : std::abs(*change.by));
  std::string text = signed_number(shown, *change.by);
  if (error > 0) text += " +- " + shown.number(error);
  return text;
}

std::string tokens_text(double tokens) {
  const Unit unit = amount_unit(tokens, "");
  std::string number = unit.number(tokens);
  while (number.find('.') != std::string::npos && (number.ends_with('0') || number.ends_with('.')))
    number.pop_back();
  return number + (unit.name == "G" ? "B" : unit.name) + " tokens";
}

std::string hosts_text(std::uint32_t spares) {
  return fmt::format("{} spare host{}", count_text(spares), spares == 1 ? "" : "s");
}

/// "14,080 GPUs and 9 spare hosts"
std::string size_text(const PlanSize& size) {
  return fmt::format("{} GPUs and {}", count_text(static_cast<double>(size.gpus)), hosts_text(size.spares));
}

// --- the parts -------------------------------------------------------------------------------------------------------

struct Column {
  std::string name;
  const PlanOutcome* of;
};

std::vector<Column> columns(const PlanResult& result) {
  std::vector<Column> all = {{"as given", &result.as_given}};
  if (result.enough) all.push_back({"enough", &*result.enough});
  if (result.best) all.push_back({"best tried", &*result.best});
  return all;
}

/// Rows of one figure for every column.
template <class Figure>
void add_row(TextTable& table, const std::vector<Column>& columns, std::string name, const Figure& figure) {
  std::vector<std::string> row = {std::move(name)};
  for (const Column& column : columns) row.push_back(figure(*column.of));
  table.rows.push_back(std::move(row));
}

std::string mean_text(const Statistics& of, const Unit& unit) {
  if (!of.mean) return "unknown";
  const double error = half_width(of.ci95);
  const Unit shown = unit.fine_enough_for(error);
  return shown.number(*of.mean) + (error > 0 ? " +- " + shown.number(error) : "");
}

void add_sizes(TextTable& table, const std::vector<Column>& all) {
  const auto count = [](auto value) { return count_text(static_cast<double>(value)); };
  add_row(table, all, "GPUs", [&](const PlanOutcome& of) { return count(of.size.gpus); });
  add_row(table, all, "data-parallel replicas",
          [&](const PlanOutcome& of) { return count(of.size.replicas); });
  add_row(table, all, "spare hosts", [&](const PlanOutcome& of) { return count(of.size.spares); });
  if (!all.front().of->size.storage_write.empty())
    add_row(table, all, "storage, write", [](const PlanOutcome& of) { return of.size.storage_write; });
  add_row(table, all, "repair crew", [&](const PlanOutcome& of) {
    return of.size.crew > 0 ? count(of.size.crew) : std::string("always enough");
  });
  add_row(table, all, "global batch, sequences",
          [&](const PlanOutcome& of) { return count(of.size.global_batch); });
  add_row(table, all, "steps", [&](const PlanOutcome& of) { return count(of.size.steps); });
}

std::string what_it_takes(const PlanResult& result, const ReportOptions& options) {
  const std::vector<Column> all = columns(result);
  const Unit date = date_unit(result);
  TextTable table;
  table.header = {""};
  for (const Column& column : all) table.header.push_back(column.name);
  add_sizes(table, all);
  add_row(table, all, "done by " + time_text(result.finish_by_s),
          [](const PlanOutcome& of) { return share_text(of.by_date); });
  const auto finish = [&](const char* name, std::optional<double> FinishTimes::*at) {
    add_row(table, all, fmt::format("{}, {} after the start", name, date.name),
            [&](const PlanOutcome& of) { return finish_text(of.finish.*at, date); });
  };
  finish("5% are done", &FinishTimes::p5);
  finish("half are done", &FinishTimes::p50);
  finish("95% are done", &FinishTimes::p95);
  const bool priced = result.as_given.cost.mean.has_value();
  const Statistics PlanOutcome::*bill = priced ? &PlanOutcome::cost : &PlanOutcome::gpu_hours;
  const Unit money = amount_unit((result.as_given.*bill).mean.value_or(0), priced ? "USD" : "");
  const std::string what = priced ? "cost" : "GPU-hours";
  add_row(table, all, money.name.empty() ? what : what + ", " + money.name,
          [&](const PlanOutcome& of) { return mean_text(of.*bill, money); });
  std::string text = heading(options, "What it takes") + to_text(table);
  if (!result.enough) return text;
  text += wrapped(fmt::format(
      "Enough: {}. Its column is of {} runs other than those that chose it{}.",
      result.enough_uncertainty
          ? "the least GPUs that meet the date with what is not known, and of the rest a margin for it"
          : "each at the least that still meets the date, one after the other, GPUs first",
      count_text(result.enough->by_date.runs),
      result.enough_uncertainty ? ", with all parameters as given" : ""));
  const std::optional<double> share =
      result.enough_uncertainty ? result.enough_uncertainty->share_by_date : result.enough->by_date.value();
  if (share.value_or(1) < result.confidence)
    text += wrapped("These runs say that it is not: ask again with more --replicas.");
  return text;
}

/// The unit in which the largest of these changes is easy to read.
Unit change_unit(double largest) { return largest > 0 ? time_unit(largest) : Unit{3600, "h", 1}; }

std::string one_more(const std::vector<Purchase>& bought, const char* than, bool priced,
                     const ReportOptions& options) {
  if (bought.empty()) return "";
  double largest = 0, dearest = 0;
  for (const Purchase& each : bought) {
    for (const Change* change : {&each.p95, &each.mean})
      largest = std::max(largest, std::abs(change->by.value_or(0)));
    dearest = std::max(dearest, std::abs(each.cost.by.value_or(0)));
  }
  const Unit time = change_unit(largest), share = {.divisor = 0.01, .name = "%", .decimals = 1};
  const Unit bill = amount_unit(dearest, priced ? "USD" : "GPU-hours");
  TextTable table;
  table.header = {"", "by the date, %", fmt::format("95% done, {}", time.name),
                  fmt::format("mean, {}", time.name), priced ? "cost, " + bill.name : bill.name};
  for (const Purchase& each : bought)
    table.rows.push_back({each.what, change_text(each.share, share), change_text(each.p95, time),
                          change_text(each.mean, time), change_text(each.cost, bill)});
  return heading(options, fmt::format("What one more than {} buys (95% intervals of paired runs, {})", than,
                                      kIntervalCovers)) +
         to_text(table);
}

std::string one_more(const PlanResult& result, const ReportOptions& options) {
  const bool priced = result.as_given.cost.mean.has_value();
  return one_more(result.one_more, "as given", priced, options) +
         one_more(result.enough_one_more, "enough", priced, options);
}

/// "-----|+++": how far to each side, of the widest.
std::string bar_text(double low, double high, double widest) {
  const auto length = [&](double value) {
    return widest > 0 ? static_cast<std::size_t>(std::round(static_cast<double>(kBar) * value / widest)) : 0;
  };
  const std::size_t left = length(std::max(0.0, -std::min(low, high))),
                    right = length(std::max(0.0, std::max(low, high)));
  return std::string(kBar - std::min(kBar, left), ' ') + std::string(std::min(kBar, left), '#') + "|" +
         std::string(std::min(kBar, right), '#');
}

std::string tornado(const PlanResult& result, const ReportOptions& options) {
  if (result.tornado.bars.empty()) return "";
  const bool time = result.tornado.target == "finish.p50";
  double widest = 0;
  for (const Sensitivity& bar : result.tornado.bars)
    widest = std::max({widest, std::abs(bar.at_low.by.value_or(0)), std::abs(bar.at_high.by.value_or(0))});
  const Unit unit = (time ? change_unit(widest) : percent()).fine_enough_for(widest / 10);
  TextTable table;
  table.header = {"", "5%", "95%", unit.name + " at the 5%", "", unit.name + " at the 95%"};
  for (const Sensitivity& bar : result.tornado.bars)
    table.rows.push_back({bar.path, bar.low, bar.high, change_text(bar.at_low, unit),
                          bar_text(bar.at_low.by.value_or(0), bar.at_high.by.value_or(0), widest),
                          change_text(bar.at_high, unit)});
  return heading(options,
                 fmt::format("What the {} as given hangs on: one parameter at a time at its 5% and 95% value",
                             time ? "median finish" : "ETTR")) +
         to_text(table) +
         wrapped(fmt::format("Changes over {} paired runs, {}.", count_text(result.tornado.replicas),
                             kIntervalCovers));
}

std::string metric_label(std::string_view name) {
  if (name == "ettr") return "ETTR, %";
  if (name == "wall_time_s") return "mean finish, days";
  if (name == "cost") return "cost, M USD";
  return std::string(name);
}

Unit uncertain_unit(std::string_view name) {
  if (name == "ettr") return percent();
  if (name == "wall_time_s") return {.divisor = 86'400, .name = "days", .decimals = 1};
  if (name == "cost") return {.divisor = 1e6, .name = "M USD", .decimals = 2};
  return {.divisor = 1, .name = "", .decimals = 1};
}

std::string uncertainty_table(const Uncertainty& of) {
  TextTable table;
  table.header = {"mean, as given", kIntervalCovers.data(), kWithParameters.data(), "one run, 5% to 95%",
                  "parameters' part"};
  for (const UncertainMetric& metric : of.metrics) {
    if (!metric.mean) continue;
    const Unit unit = uncertain_unit(metric.name).fine_enough_for(half_width(metric.known.ci95));
    const auto with = [&](double mean, const std::optional<Interval>& interval) {
      return unit.number(mean) + " +- " + unit.number(half_width(interval));
    };
    const double total = metric.parameter_variance + metric.run_variance;
    table.rows.push_back(
        {metric_label(metric.name), with(*metric.known.mean, metric.known.ci95),
         with(*metric.mean, metric.ci95),
         metric.p5 && metric.p95 ? unit.number(*metric.p5) + " to " + unit.number(*metric.p95) : "unknown",
         total > 0 ? percent_text(metric.parameter_variance / total) : "-"});
  }
  return to_text(table);
}

std::string uncertainty_sentence(const char* which, const Uncertainty& of, const PlanResult& result) {
  const Unit date = date_unit(result);
  return wrapped(fmt::format("{}, {} of runs are done by {}; 5% after {}, half after {}, 95% after {} {}.",
                             which, share_text(of.share_by_date, of.share_ci95),
                             time_text(result.finish_by_s), finish_text(of.finish.p5, date),
                             finish_text(of.finish.p50, date), finish_text(of.finish.p95, date), date.name));
}

std::string uncertainty(const PlanResult& result, const ReportOptions& options) {
  if (!result.uncertainty) return "";
  const Uncertainty& given = *result.uncertainty;
  std::string text = heading(
      options, fmt::format("With parameter uncertainty: {} parameters, drawn {} times, {} runs of each",
                           given.parameters.size(), given.draws, given.replicas_each));
  if (given.draws == 0)
    return text +
           wrapped("The scenario knows everything: it has no rate that is a count, and no study.uncertain.");
  text += uncertainty_sentence("As given", given, result);
  if (result.enough_uncertainty)
    text += uncertainty_sentence("With what is enough", *result.enough_uncertainty, result);
  return text +
         wrapped("The parameters are in these shares; their intervals are of the draws and runs alone.") +
         uncertainty_table(given);
}

std::string missed(const PlanResult& result) {
  if (!result.best) return result.interrupted ? "; interrupted before what it takes was known." : ".";
  if (!result.best_by_s) return "; no number of GPUs that was tried is enough.";
  const double late = std::max(0.0, *result.best_by_s - result.finish_by_s);
  return fmt::format(
      "; no number of GPUs that was tried is enough. The nearest date is {}, {} later, with {} GPUs.",
      time_text(*result.best_by_s), time_text(late), count_text(static_cast<double>(result.best->size.gpus)));
}

}  // namespace

std::string answer_line(const PlanResult& result) {
  const auto share_of = [](const PlanOutcome& of, const std::optional<Uncertainty>& unknown) {
    return unknown && unknown->share_by_date ? share_text(unknown->share_by_date, unknown->share_ci95)
                                             : share_text(of.by_date);
  };
  if (!result.as_given.by_date.value()) return "No run was done: there is nothing to say.";
  const bool carried = result.uncertainty && result.uncertainty->share_by_date;
  const std::string text = fmt::format("As given, {} of runs finish {} within {} ({}); {:g}% asked",
                                       share_of(result.as_given, result.uncertainty),
                                       tokens_text(result.tokens), time_text(result.finish_by_s),
                                       carried ? kWithParameters : kIntervalCovers, 100 * result.confidence);
  if (!result.enough) return text + missed(result);
  const bool same = !result.enough_uncertainty && result.enough->size == result.as_given.size;
  return fmt::format("{}. {} would be enough: {}.", text,
                     same ? "Nothing less" : size_text(result.enough->size),
                     share_of(*result.enough, result.enough_uncertainty));
}

std::string text_report(const PlanResult& result, const ReportOptions& options) {
  const std::string answer = wrapped(answer_line(result));
  std::string text = painted(options, "1", std::string_view(answer).substr(0, answer.size() - 1));
  if (!result.facts.question.empty()) text += result.facts.question + "\n";
  text += wrapped(
      fmt::format("{}; {} runs of each variant; seed {}; gauntlet {}. Intervals are 95%, {} unless they "
                  "say otherwise: the scenario's rates and times are taken as known.",
                  result.facts.name, count_text(result.replicas), result.facts.seed, result.facts.version,
                  kIntervalCovers));
  text += what_it_takes(result, options) + one_more(result, options) + tornado(result, options) +
          uncertainty(result, options);
  if (!result.notes.empty()) text += heading(options, "Taken for granted");
  for (const std::string& note : result.notes) text += wrapped(note);
  if (!options.command.empty()) text += "\nAgain: " + options.command + "\n";
  return text;
}

}  // namespace gauntlet
