#include "commands/sweep/page.hpp"

#include "commands/sweep/table.hpp"
#include "commands/sweep/text.hpp"
#include "report/sections/figures.hpp"
#include "report/sections/lost_time.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "score/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

namespace gauntlet {
namespace {

constexpr double kLogFrom = 10;            // ratio of a list's ends from which on its axis is logarithmic
constexpr double kSmallestShare = 0.0005;  // of the wall time: what never costs more has no line

ChartAxis axis_of(const SweptField& field) {
  if (field.numbers.empty()) return {field.path, ChartUnit::number, ChartScale::category};
  const double low = field.numbers.front(), high = field.numbers.back();
  const bool wide = !field.ranged && low > 0 && high / low >= kLogFrom;
  return {field.path, unit_of(field.kind),
          field.logarithmic || wide ? ChartScale::logarithmic : ChartScale::linear};
}

ChartAxis objective_axis(const SweepResult& result) {
  if (result.smallest) return {currency_of(result) + " per effective GPU-hour", ChartUnit::money};
  return {"ETTR", ChartUnit::percent};
}

double number_at(const SweptField& field, std::size_t at) {
  return field.numbers.empty() ? 0 : field.numbers[at];
}

std::vector<std::pair<std::string, std::string>> details_of(const SweepResult& result,
                                                            const SweptPoint& point, std::size_t but_field) {
  std::vector<std::pair<std::string, std::string>> details;
  for (std::size_t i = 0; i < result.fields.size(); ++i)
    if (i != but_field) details.emplace_back(result.fields[i].path, result.fields[i].values[point.at[i]]);
  details.emplace_back("replicas", count_text(point.summary.replicas));
  if (const std::string trails = trails_text(result, point); !trails.empty())
    details.emplace_back("trails the best by", trails);
  if (result.nothing_changes()) return details;
  if (&point == &result.points[*result.best]) {
    details.emplace_back("", "the best");
  } else if (point.may_be_best) {
    details.emplace_back("", "not distinguishable from the best");
  }
  return details;
}

ChartPoint point_of(const SweepResult& result, const SweptPoint& point, std::size_t field) {
  const SweptField& along = result.fields[field];
  const Statistics& of = *point.summary.find(result.objective);
  ChartPoint out{.x = number_at(along, point.at[field]),
                 .x_text = along.values[point.at[field]],
                 .y = *of.mean,
                 .low = {},
                 .high = {},
                 .details = details_of(result, point, field)};
  if (of.ci95) {
    out.low = of.ci95->low;
    out.high = of.ci95->high;
  }
  return out;
}

ChartMark best_mark(const SweepResult& result, std::size_t field) {
  const SweptField& along = result.fields[field];
  const std::size_t at = result.points[*result.best].at[field];
  return {.x = number_at(along, at), .x_text = along.values[at], .text = "best: " + along.values[at]};
}

using Draw = std::function<std::optional<ChartPoint>(const SweptPoint&)>;

/// What `draw` makes of the points, in the order of a field's values.
ChartSeries series_along(const SweepResult& result, std::size_t field, std::string name, ChartLine line,
                         const Draw& draw) {
  std::vector<const SweptPoint*> points;
  for (const SweptPoint& point : result.points)
    if (point.summary.mean(result.objective)) points.push_back(&point);
  std::ranges::stable_sort(points, {}, [&](const SweptPoint* point) { return point->at[field]; });
  ChartSeries series{.name = std::move(name), .points = {}, .line = line};
  for (const SweptPoint* point : points)
    if (auto drawn = draw(*point)) series.points.push_back(std::move(*drawn));
  return series;
}

LineChart chart_along(const SweepResult& result, std::size_t field) {
  const ChartAxis x = axis_of(result.fields[field]), y = objective_axis(result);
  return {.title = fmt::format("{} by {}", y.title, x.title),
          .x = x,
          .y = y,
          .series_title = "",
          .series = {},
          .marks = result.nothing_changes() ? std::vector<ChartMark>{}
                                            : std::vector<ChartMark>{best_mark(result, field)}};
}

/// All points in one series.
LineChart objective_along(const SweepResult& result, std::size_t field, bool line) {
  LineChart chart = chart_along(result, field);
  const bool joined = line && chart.x.scale != ChartScale::category;
  chart.series.push_back(
      series_along(result, field, "", joined ? ChartLine::straight : ChartLine::none,
                   [&](const SweptPoint& point) { return std::optional(point_of(result, point, field)); }));
  return chart;
}

/// The share of the wall time that each phase takes.
LineChart losses_along(const SweepResult& result, std::size_t field) {
  LineChart chart = chart_along(result, field);
  chart.title = fmt::format("Lost time by {}", chart.x.title);
  chart.y = {"share of wall time", ChartUnit::percent};
  chart.series_title = "phase";
  for (const std::string_view phase : kPhaseNames) {
    const auto draw = [&](const SweptPoint& point) -> std::optional<ChartPoint> {
      const std::optional<double> wall = point.summary.mean("wall_time_s");
      const std::optional<double> lost = point.summary.mean("lost_s." + std::string(phase));
      if (!lost || !wall || !(*wall > 0)) return std::nullopt;
      ChartPoint drawn = point_of(result, point, field);
      drawn.y = *lost / *wall;
      drawn.low = drawn.high = std::nullopt;
      return drawn;
    };
    ChartSeries series =
        series_along(result, field, std::string(phase),
                     chart.x.scale != ChartScale::category ? ChartLine::straight : ChartLine::none, draw);
    if (std::ranges::any_of(series.points, [](const ChartPoint& point) { return point.y > kSmallestShare; }))
      chart.series.push_back(std::move(series));
  }
  return chart;
}

HeatMap map_of(const SweepResult& result) {
  const SweptField &x = result.fields[0], &y = result.fields[1];
  HeatMap map{.title = fmt::format("{} by {} and {}", objective_axis(result).title, x.path, y.path),
              .x_title = x.path,
              .y_title = y.path,
              .x_values = x.values,
              .y_values = y.values,
              .value = objective_axis(result),
              .cells = {},
              .best = {}};
  const Unit unit = objective_unit(result);
  map.outline_title = "not distinguishable from the best (paired differences, 95% for all points together)";
  for (const SweptPoint& point : result.points) {
    const Statistics& of = *point.summary.find(result.objective);
    if (!of.mean) continue;
    auto details = details_of(result, point, 0);
    details.erase(details.begin());  // the other field is the cell's row
    details.insert(details.begin(), {"mean", value_text(of, unit)});
    map.cells.push_back({.x_text = x.values[point.at[0]],
                         .y_text = y.values[point.at[1]],
                         .value = *of.mean,
                         .outlined = point.may_be_best && !result.nothing_changes(),
                         .details = std::move(details)});
  }
  const SweptPoint& best = result.points[*result.best];
  if (!result.nothing_changes()) map.best = {x.values[best.at[0]], y.values[best.at[1]]};
  return map;
}

Section charts_of(const SweepResult& result) {
  Section section{.heading = "What the values do"};
  const std::size_t fields = result.fields.size();
  if (result.design == "grid" && fields == 1) {
    section.add(Chart(objective_along(result, 0, true)));
    section.add(Chart(losses_along(result, 0)));
  } else if (result.design == "grid" && fields == 2) {
    section.add(Chart(map_of(result)));
  } else {
    for (std::size_t field = 0; field < fields; ++field)
      section.add(Chart(objective_along(result, field, false)));
  }
  return section;
}

}  // namespace

Page page_of(const SweepResult& result, const ReportOptions& options) {
  Page page{.name = "gauntlet sweep: " + result.scenario,
            .answer = answer_line(result),
            .command = options.command,
            .currency = currency_of(result)};
  if (!result.best) return page;
  page.lines = {result.question,
                fmt::format("{}, {} replicas in total; 95% intervals, {}; seed {}; gauntlet {}.",
                            counted(static_cast<double>(result.points.size()), "point"),
                            count_text(static_cast<double>(result.replicas())), kIntervalCovers, result.seed,
                            result.version)};
  page.lines.insert(page.lines.end(), result.notes.begin(), result.notes.end());
  const SweptPoint& best = result.points[*result.best];
  const bool all_same = result.nothing_changes();
  for (std::size_t i = 0; i < result.fields.size() && !all_same; ++i)
    page.figures.push_back(
        {.name = "Best " + result.fields[i].path, .value = result.fields[i].values[best.at[i]]});
  for (Fact& fact : main_figures(best.summary)) page.figures.push_back(std::move(fact));
  page.sections.push_back(charts_of(result));
  for (const std::string& each : remarks(result)) page.sections.back().add(Paragraph{each});
  Section lost = lost_time_section(best.summary, {});
  lost.heading = all_same ? "Where the time goes at every point" : "Where the time goes at the best point";
  lost.add(figures_table(best.summary));
  page.sections.push_back(std::move(lost));
  return page;
}

}  // namespace gauntlet
