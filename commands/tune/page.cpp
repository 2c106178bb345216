#include "commands/tune/page.hpp"

#include "commands/tune/text.hpp"
#include "commands/tune/words.hpp"
#include "report/sections/figures.hpp"
#include "report/sections/lost_time.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gauntlet {
namespace {

ChartAxis objective_axis(const TuneResult& result) {
  return {.title = objective_name(result), .unit = chart_unit(result.metric)};
}

ChartPoint point_of(const TuneResult& result, const TunedPoint& point, std::size_t axis) {
  ChartPoint out{.x = point.numbers[axis],
                 .x_text = point.values[axis],
                 .y = *point.objective.mean,
                 .low = {},
                 .high = {},
                 .details = {{"replicas", count_text(point.replicas)}}};
  if (point.objective.ci95) {
    out.low = point.objective.ci95->low;
    out.high = point.objective.ci95->high;
  }
  if (point.gave_up > 0) out.details.emplace_back("gave up", share_text(point.gave_up));
  if (point.worse && point.worse->difference && !point.gives_up_more)
    out.details.emplace_back("costs more", share_of_loss(result, *point.worse->difference / result.scale));
  if (const std::string name = point.name_along(result.fields[axis].path); !name.empty())
    out.details.emplace_back("", name);
  if (!point.meets) out.details.emplace_back("", "misses a bound");
  return out;
}

LineChart chart_along(const TuneResult& result, std::size_t axis) {
  const TunedField& field = result.fields[axis];
  ChartSeries series{.name = "", .points = {}};
  std::vector<ChartMark> marks;
  bool above_zero = true;
  for (const std::size_t i : field.curve) {
    const TunedPoint& point = result.points[i];
    if (!point.objective.mean) continue;
    above_zero = above_zero && point.numbers[axis] > 0;
    series.points.push_back(point_of(result, point, axis));
    if (const std::string name = point.name_along(field.path); !name.empty())
      marks.push_back({.x = point.numbers[axis],
                       .x_text = point.values[axis],
                       .text = fmt::format("{}: {}", name, point.values[axis])});
  }
  const ChartScale scale = field.logarithmic && above_zero ? ChartScale::logarithmic : ChartScale::linear;
  const ChartAxis y = objective_axis(result);
  return {.title = fmt::format("{} by {}", y.title, field.path),
          .x = {.title = field.path, .unit = unit_of(field.kind), .scale = scale},
          .y = y,
          .series_title = "",
          .series = {std::move(series)},
          .marks = std::move(marks)};
}

}  // namespace

Page page_of(const TuneResult& result, const ReportOptions& options) {
  Page page{.name = "gauntlet tune: " + result.scenario,
            .answer = answer_line(result),
            .command = options.command,
            .currency = result.currency};
  if (!result.best || !result.has_value()) return page;
  page.lines = {result.question,
                fmt::format("{}, {} replicas in total; 95% intervals, {}; seed {}; gauntlet {}.",
                            counted(static_cast<double>(result.points.size()), "point"),
                            count_text(static_cast<double>(result.replicas)), kIntervalCovers, result.seed,
                            result.version)};
  page.lines.insert(page.lines.end(), result.notes.begin(), result.notes.end());
  Section curves{.heading = "The curve of each field, the others at their best"};
  for (std::size_t axis = 0; axis < result.fields.size(); ++axis) {
    const TunedField& field = result.fields[axis];
    page.figures.push_back(
        {.name = (field.plateau ? "Recommended " : "Best ") + field.path,
         .value = field.best,
         .note = field.alike         ? fmt::format("today {}; {} to {} are not told apart", field.today,
                                                   field.alike->low, field.alike->high)
                 : !field.flat_known ? fmt::format("today {}; the flat range is not known", field.today)
                                     : fmt::format("today {}; flat from {} to {}", field.today,
                                                   field.flat.low, field.flat.high)});
    if (!field.curve.empty()) curves.add(Chart(chart_along(result, axis)));
  }
  page.sections.push_back(std::move(curves));
  if (!result.summary) return page;
  for (Fact& fact : main_figures(*result.summary)) page.figures.push_back(std::move(fact));
  Section lost = lost_time_section(*result.summary, {});
  lost.heading = "Where the time goes at the best point";
  lost.add(figures_table(*result.summary));
  page.sections.push_back(std::move(lost));
  return page;
}

}  // namespace gauntlet
