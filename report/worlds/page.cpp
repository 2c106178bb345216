#include "report/worlds/page.hpp"

#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostBars = 24;

double ettr_of(const Figures& figures) {
  const double wall = to_seconds(figures.wall);
  return wall > 0 ? to_seconds(at(figures.phases, Phase::effective)) / wall : 0;
}

std::optional<BarPart> part_of(const std::optional<double>& value) {
  return value ? std::optional(BarPart{.value = *value}) : std::nullopt;
}

BarChart both(std::string title, std::string bars_title, ChartAxis value) {
  return {.title = std::move(title),
          .bars_title = std::move(bars_title),
          .value = std::move(value),
          .series = {"measured", "simulated"}};
}

/// The figures of the whole run, or of fault kinds, that are times and that `wanted` picks.
template <class Wanted>
BarChart times(std::string title, std::string bars_title, const std::vector<WorldFigure>& figures,
               const Wanted& wanted) {
  BarChart chart =
      both(std::move(title), std::move(bars_title), {.title = "time", .unit = ChartUnit::duration});
  for (const WorldFigure& figure : figures) {
    if (figure.unit != WorldUnit::seconds || !wanted(figure) || chart.bars.size() == kMostBars) continue;
    const std::string name = figure.fault.empty() ? figure.name : figure.fault;
    chart.bars.push_back({.name = name, .parts = {part_of(figure.measured), part_of(figure.simulated)}});
  }
  return chart;
}

BarChart ettr_chart(const RepeatedDrills& drills) {
  BarChart chart = both("ETTR of each drill", "drill", {.title = "ETTR", .unit = ChartUnit::percent});
  for (const DrillPair& pair : drills.pairs)
    chart.bars.push_back(
        {.name = fmt::format("drill {} (seed {})", pair.number, pair.seed),
         .parts = {BarPart{.value = ettr_of(pair.measured)}, BarPart{.value = ettr_of(pair.simulated)}}});
  return chart;
}

}  // namespace

Page page_of(const RepeatedDrills& drills, const ReportOptions& options) {
  Page page{.name = "gauntlet drill: " + drills.scenario,
            .answer = answer_line(drills),
            .command = options.command};
  page.lines = {
      fmt::format("{} of {} complete, {} failed; {}; gauntlet {}.", drills.pairs.size(),
                  counted(drills.asked, "drill"), drills.failed.size(),
                  drills.vary_seed ? "each has a fault plan of its own" : "all have the same fault plan",
                  drills.version)};
  for (const FailedDrill& each : drills.failed)
    page.lines.push_back(fmt::format("Drill {} (seed {}) failed: {}", each.number, each.seed, each.why));
  if (drills.pairs.empty()) return page;
  const std::vector<WorldFigure> figures = compare_worlds(drills.pairs, drills.faults);
  Section section{.heading = "Measured and simulated"};
  const auto phase_of_run = [](const WorldFigure& of) {
    return of.fault.empty() && of.per == WorldPer::run && of.name != "wall time" &&
           of.name != kPhaseNames.front();
  };
  if (BarChart chart = times("Lost time per run, by phase", "phase", figures, phase_of_run);
      !chart.bars.empty())
    section.add(Chart(std::move(chart)));
  const auto latency = [](const WorldFigure& of) {
    return !of.fault.empty() && of.name == "detection latency";
  };
  if (BarChart chart = times("Mean detection latency by fault kind", "fault kind", figures, latency);
      !chart.bars.empty())
    section.add(Chart(std::move(chart)));
  const auto regained = [](const WorldFigure& of) {
    return !of.fault.empty() && of.name == "until progress is regained";
  };
  if (BarChart chart = times("Time per incident until progress is regained, by fault kind", "fault kind",
                             figures, regained);
      !chart.bars.empty())
    section.add(Chart(std::move(chart)));
  section.add(Chart(ettr_chart(drills)));
  page.sections.push_back(std::move(section));
  Section text{.heading = "Report as text"};
  text.add(Verbatim{text_report(drills, options), "report.txt"});
  page.sections.push_back(std::move(text));
  return page;
}

}  // namespace gauntlet
