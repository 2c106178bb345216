#include "report/style.hpp"
#include "report/table.hpp"
#include "report/words.hpp"
#include "report/worlds/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace gauntlet {
namespace {

Unit unit_of(const WorldFigure& figure) {
  const double largest = std::max(figure.measured.value_or(0), figure.simulated.value_or(0));
  Unit unit = {.divisor = 1, .name = "", .decimals = 2};
  if (figure.unit == WorldUnit::share) unit = percent();
  if (figure.unit == WorldUnit::seconds) unit = {.divisor = 1, .name = "s", .decimals = 3};
  if (figure.unit == WorldUnit::seconds && largest >= 3600) unit = time_unit(largest);
  return unit;
}

/// "s per incident"
std::string unit_text(const Unit& unit, WorldPer per) {
  constexpr std::array<const char*, 4> kPer = {"", "per run", "per incident", "per fault"};  // by WorldPer
  const std::string of = kPer[static_cast<std::size_t>(per)];
  return unit.name + (unit.name.empty() || of.empty() ? "" : " ") + of;
}

std::string cell(const Unit& unit, const std::optional<double>& value) {
  return value ? unit.number(*value) : "-";
}

/// Half of the interval; "-" without one.
std::string plus_minus(const Unit& unit, const PairedDifference& of) {
  return of.ci95 ? unit.number(longer_side(*of.ci95, *of.difference)) : "-";
}

/// What the last column says, and why some rows have nothing there.
std::string method_text(std::size_t pairs) {
  if (pairs == 1) return "One drill has no interval: repeat it with --repeat and --vary-seed.\n";
  if (pairs < kFewestForInterval)
    return fmt::format("{} drills are too few for an interval, which needs {}.\n", pairs, kFewestForInterval);
  return wrapped(fmt::format(
      "+-: half the 95% interval of measured - simulated, by Student's t over n = {} pairs of a drill and "
      "its "
      "simulation; of a ratio by the delta method. A figure that differs in fewer than {} pairs has none.",
      pairs, std::min<std::size_t>(kFewestDifferent, pairs)));
}

std::string drill_line(const DrillPair& pair) {
  return fmt::format("drill {} (seed {}): ", pair.number, pair.seed) +
         decisions_text(pair.decisions, "measured", "simulated");
}

std::string decisions_section(const RepeatedDrills& drills) {
  const auto same = std::ranges::count_if(
      drills.pairs, [](const DrillPair& pair) { return !pair.decisions.first.has_value(); });
  std::string text = fmt::format("Decisions: the same in {} of {}\n", same,
                                 counted(static_cast<double>(drills.pairs.size()), "drill"));
  for (const DrillPair& pair : drills.pairs)
    if (pair.decisions.first) text += wrapped(drill_line(pair));
  return text;
}

}  // namespace

std::string worlds_text(const std::vector<DrillPair>& pairs, const std::vector<std::string>& faults) {
  TextTable table;
  table.header = {"of", "figure", "unit", "measured", "simulated", "difference"};
  if (pairs.size() > 1) table.header.emplace_back("+-");
  std::string before;
  for (const WorldFigure& figure : compare_worlds(pairs, faults)) {
    const Unit unit = unit_of(figure);
    std::string of = figure.fault.empty() ? "whole run" : figure.fault;
    if (of == before) of.clear();
    before = of.empty() ? before : of;
    table.rows.push_back({of, figure.name, unit_text(unit, figure.per), cell(unit, figure.measured),
                          cell(unit, figure.simulated),
                          figure.of.difference ? signed_number(unit, *figure.of.difference) : "-"});
    if (pairs.size() > 1) table.rows.back().push_back(plus_minus(unit, figure.of));
  }
  return "Measured and simulated\n" + to_text(table) + method_text(pairs.size());
}

std::string answer_line(const RepeatedDrills& drills) {
  if (drills.pairs.empty()) return "";
  const std::vector<WorldFigure> figures = compare_worlds(drills.pairs, {});
  const auto ettr = std::ranges::find(figures, "ETTR", &WorldFigure::name);
  if (ettr == figures.end()) return "No drill trained.";
  const Unit unit = percent();
  std::string text = fmt::format("{}: ETTR is {}% measured and {}% simulated", drills.scenario,
                                 cell(unit, ettr->measured), cell(unit, ettr->simulated));
  if (ettr->of.ci95)
    text += fmt::format(", a difference of {} +- {} percentage points",
                        signed_number(unit, *ettr->of.difference), plus_minus(unit, ettr->of));
  return text + ".";
}

std::string text_report(const RepeatedDrills& drills, const ReportOptions& options) {
  const std::size_t failed = drills.failed.size(), complete = drills.pairs.size();
  const std::string answer = answer_line(drills);
  std::string text = headline(options, answer.empty() ? "" : wrapped(answer));
  text += fmt::format("{} of {} complete, {} failed; {}\n", complete,
                      counted(static_cast<double>(drills.asked), "drill"), failed,
                      drills.vary_seed ? "each has a fault plan of its own" : "all have the same fault plan");
  if (drills.interrupted) text += "Interrupted: the same command goes on with the others.\n";
  for (const FailedDrill& each : drills.failed)
    text += wrapped(fmt::format("drill {} (seed {}) failed: {}", each.number, each.seed, each.why));
  if (complete > 0)
    text += "\n" + worlds_text(drills.pairs, drills.faults) + "\n" + decisions_section(drills);
  return text + reproduce_text(options);
}

}  // namespace gauntlet
