#include "commands/compare/text.hpp"

#include "commands/compare/answer.hpp"
#include "commands/compare/timeline.hpp"
#include "report/metric_unit.hpp"
#include "report/style.hpp"
#include "report/table.hpp"
#include "report/tails.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kFiguresOfKinds = 8;  // rows about single fault kinds
constexpr std::size_t kParts = 12;          // causes and phases that are listed; the rest is summed up

std::string half_width(const PairedDifference& of, const Unit& unit) {
  return of.ci95 ? unit.number(longer_side(*of.ci95, *of.difference)) : "-";
}

// "14x"
std::string factor_text(const PairedDifference& of) {
  if (!of.variance_factor) return "-";
  return fmt::format("{:.{}f}x", *of.variance_factor, *of.variance_factor < 9.95 ? 1 : 0);
}

// Enough digits for the interval to show, and for a figure without one its difference.
Unit unit_for(const Unit& unit, const PairedDifference& of) {
  const double error = of.ci95 ? longer_side(*of.ci95, *of.difference) : 0;
  return unit.fine_enough_for(error > 0 ? error : std::abs(of.difference.value_or(0)) / 10);
}

std::vector<std::string> loss_row(std::string cause, std::string phase, const LossDifference& loss,
                                  const Unit& unit) {
  return {std::move(cause),
          std::move(phase),
          unit.number(loss.first),
          unit.number(loss.second),
          signed_number(unit, loss.of.difference.value_or(0)),
          half_width(loss.of, unit),
          factor_text(loss.of)};
}

// The first `most` rows of those that do not show as zero; the rest in one sum, as so many `what` more.
void add_parts(const std::vector<LossDifference>& parts, std::size_t most, const char* what, const Unit& unit,
               TextTable& table) {
  double rest = 0;
  std::size_t told = 0;
  for (const LossDifference& part : parts) {
    const std::string difference = signed_number(unit, part.of.difference.value_or(0));
    if (told == most || difference.find_first_not_of("0.") == std::string::npos) {
      rest += part.of.difference.value_or(0);
      continue;
    }
    ++told;
    table.rows.push_back(loss_row(part.cause.empty() ? "all" : part.cause,
                                  std::string(kPhaseNames[static_cast<std::size_t>(*part.phase)]), part,
                                  unit));
  }
  if (told < parts.size())
    table.rows.push_back({counted(static_cast<double>(parts.size() - told), std::string("more ") + what), "",
                          "", "", signed_number(unit, rest), "", ""});
}

// One for the whole table: hours rather than days, and digits enough to show what is uncertain of the sum.
Unit loss_unit(const LossDifference& all) {
  Unit unit = time_unit(std::max(all.first, all.second));
  if (unit.name == "days") unit = {.divisor = 3600, .name = "h", .decimals = 1};
  return unit_for(unit, all.of);
}

// Where the lost time differs: by phase, then by cause and phase. What shows as zero is summed up.
std::string losses(const Comparison& comparison) {
  const Unit unit = loss_unit(comparison.lost);
  const std::string second = scenario_letter(comparison.second);
  TextTable table;
  table.header = {"cause", "phase", "A", second, second + " - A", "+-", "less variance"};
  table.rows.push_back(loss_row("all", "", comparison.lost, unit));
  add_parts(comparison.by_phase, kPhases, "phase", unit, table);
  add_parts(comparison.because, kParts, "pair", unit, table);
  return fmt::format("Lost time per {}, {}\n", comparison.basis == Basis::day ? "day of wall time" : "run",
                     unit.name) +
         to_text(table);
}

// Figures that are told whether they differ or not.
bool always_told(std::string_view name) {
  constexpr std::array<std::string_view, 5> kMain = {"ettr", "goodput_tokens_per_s", "wall_time_s",
                                                     "interruptions", "cost"};
  return std::ranges::find(kMain, name) != kMain.end();
}

// The fault kind that a figure is of, or nothing: "nic" of faults.nic and of detection.by_kind.nic.met.
std::optional<std::string_view> kind_of(std::string_view name) {
  constexpr std::string_view kTimes = "faults.", kDetection = "detection.by_kind.";
  if (name.starts_with(kTimes)) return name.substr(kTimes.size());
  if (!name.starts_with(kDetection)) return std::nullopt;
  name.remove_prefix(kDetection.size());
  return name.substr(0, name.rfind('.'));
}

// The figures that are listed: those of the whole run in their order, then those of the kinds whose losses differ most.
struct ListedFigures {
  std::vector<const MetricDifference*> rows;
  std::size_t same = 0;      // left out: the same in every replica
  std::size_t unsure = 0;    // left out: the difference may be chance
  std::size_t of_kinds = 0;  // left out although they differ
};

ListedFigures listed_figures(const Comparison& comparison, std::uint32_t replicas) {
  ListedFigures listed;
  std::vector<const MetricDifference*> of_kinds;
  for (const MetricDifference& metric : comparison.metrics) {
    if (metric.name.starts_with("lost_s.") || !metric.first || !metric.second || !metric.of.difference)
      continue;
    const bool of_kind = kind_of(metric.name).has_value();
    // There are dozens of them, and one that differs in a replica or two says little.
    const bool sure = !of_kind || metric.of.ci95 || replicas < kFewestForInterval;
    if (always_told(metric.name) || (distinguishable(metric.of) && sure))
      (of_kind ? of_kinds : listed.rows).push_back(&metric);
    else
      ++(*metric.of.difference == 0 && metric.of.se.value_or(0) == 0 ? listed.same : listed.unsure);
  }
  const auto place = [&](const MetricDifference* metric) {  // by_cause has the largest first
    return std::ranges::find(comparison.by_cause, *kind_of(metric->name), &LossDifference::cause) -
           comparison.by_cause.begin();
  };
  std::ranges::stable_sort(of_kinds, {}, place);
  const std::size_t most = std::min(of_kinds.size(), kFiguresOfKinds);
  listed.of_kinds = of_kinds.size() - most;
  listed.rows.insert(listed.rows.end(), of_kinds.begin(),
                     of_kinds.begin() + static_cast<std::ptrdiff_t>(most));
  return listed;
}

std::string figures(const Comparison& comparison, std::uint32_t replicas, const std::string& currency) {
  const std::string second = scenario_letter(comparison.second);
  TextTable table;
  table.header = {"figure", "", "A", second, second + " - A", "+-", "less variance"};
  bool one_sided = false;
  const ListedFigures listed = listed_figures(comparison, replicas);
  for (const MetricDifference* each : listed.rows) {
    const MetricDifference& metric = *each;
    one_sided = one_sided || !metric.in_first || !metric.in_second;
    const Unit unit =
        unit_for(metric_unit(metric.name, std::max(*metric.first, *metric.second), currency), metric.of);
    table.rows.push_back({metric.name, unit.name, metric.in_first ? unit.number(*metric.first) : "-",
                          metric.in_second ? unit.number(*metric.second) : "-",
                          signed_number(unit, *metric.of.difference), half_width(metric.of, unit),
                          factor_text(metric.of)});
  }
  std::string text = "Figures per run: the main ones, and those that differ\n" + to_text(table);
  if (one_sided) text += "  -: the scenario does not have this fault, which counts as 0.\n";
  const std::string kinds =
      listed.of_kinds > 0 ? fmt::format("{} more figures of single fault kinds differ; ", listed.of_kinds)
                          : "";
  return text +
         fmt::format(
             "  {}{} more are equal in every replica, {} differ by no more than chance (--json has them).\n",
             kinds, listed.same, listed.unsure);
}

/// Of every scenario: where the runs take equally long their ETTR, else also when they end.
std::string tails(const CompareResult& result) {
  std::vector<TailRow> rows;
  for (const auto& [metric, name] : {std::pair("ettr", "ETTR"), std::pair("wall_time_s", "wall time")})
    for (std::size_t i = 0; i < result.scenarios.size(); ++i)
      add_tails(rows, result.scenarios[i].summary, metric, scenario_letter(i), name);
  return tails_table(rows);
}

std::string shown_replica(const CompareResult& result, const Comparison& comparison) {
  const ShownReplica& shown = *comparison.shown;
  const std::string second = scenario_letter(comparison.second);
  std::string text = wrapped(fmt::format(
      "Replica {} is the most typical of {}: its differences by cause and phase are nearest to the means.",
      shown.replica, result.replicas));
  text += timeline(shown, "A", second);
  for (const std::size_t number : {std::size_t{0}, std::size_t{comparison.second}})
    text += fmt::format("  {}: {} --replica {}\n", scenario_letter(number), result.scenarios[number].command,
                        shown.replica);
  return text;
}

std::string terms(const CompareResult& result) {
  const ScenarioFacts& first = result.scenarios.front().summary.facts;
  const auto all_have = [&](std::uint32_t ScenarioFacts::*count) {
    return std::all_of(result.scenarios.begin(), result.scenarios.end(),
                       [&](const auto& each) { return each.summary.facts.*count == first.*count; });
  };
  const bool same_hosts = all_have(&ScenarioFacts::hosts), same_spares = all_have(&ScenarioFacts::spares);
  const std::string_view faults =
      same_hosts && same_spares ? "the same faults"
      : same_hosts
          ? "the same faults on the hosts that the job starts on"
          : "faults of the same seed, but different ones where the jobs have different numbers of hosts";
  std::string text =
      fmt::format("{} of each with {} (seed {}); ", counted(result.replicas, "replica"), faults, result.seed);
  if (result.replicas < kFewestForInterval) return text + "too few for intervals.";
  text += fmt::format("paired 95% intervals, {}.", kIntervalCovers);
  std::string factors;
  bool per_day = false;
  for (const Comparison& comparison : result.comparisons) {
    per_day = per_day || comparison.basis == Basis::day;
    if (comparison.lost.of.variance_factor)
      factors += fmt::format("{}{}{} of {} - A", factors.empty() ? "" : ", ", factor_text(comparison.lost.of),
                             factors.empty() ? " less variance" : "", scenario_letter(comparison.second));
  }
  if (!factors.empty())
    text += fmt::format(" Common random numbers: {} than with independent runs.", factors);
  if (per_day) text += " The runs end at different times, so lost time is per day of wall time.";
  return text;
}

bool same_losses(const Comparison& comparison) {
  return std::ranges::all_of(comparison.because, [](const LossDifference& part) {
    return part.of.difference.value_or(0) == 0 && part.of.se.value_or(0) == 0;
  });
}

}  // namespace

std::string text_report(const CompareResult& result, const ReportOptions& options) {
  std::string text;
  if (result.replicas == 0) return "";
  for (const Comparison& comparison : result.comparisons) {
    text += headline(options, wrapped(answer_line(result, comparison)));
    if (const std::string more = consequence(result, comparison); !more.empty()) text += wrapped(more);
  }
  for (std::size_t i = 0; i < result.scenarios.size(); ++i)
    text += fmt::format("{}: {}\n", scenario_letter(i), result.scenarios[i].label);
  text += wrapped(terms(result)) + fault_files_text(options);
  for (const auto& scenario : result.scenarios) {
    const std::string warning = replay_warning(scenario.summary.facts);
    if (warning.empty()) continue;
    text += wrapped(warning);
    break;  // the others differ in their names at most
  }
  for (const std::string& note : result.notes) text += wrapped(note);
  for (const Comparison& comparison : result.comparisons) {
    text += "\n";
    if (result.comparisons.size() > 1)
      text += headline(options, wrapped(fmt::format("{} against A", scenario_letter(comparison.second))));
    if (!same_losses(comparison)) text += losses(comparison) + "\n";
    text += figures(comparison, result.replicas, result.scenarios[0].summary.facts.currency);
    if (comparison.shown && !same_losses(comparison)) text += "\n" + shown_replica(result, comparison);
  }
  if (const std::string of_all = tails(result); !of_all.empty()) text += "\n" + of_all;
  return text + reproduce_text(options);
}

}  // namespace gauntlet
