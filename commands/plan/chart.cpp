#include "commands/plan/chart.hpp"

#include "commands/plan/text.hpp"
#include "report/levers/levers.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kEvery = 5;     // percentiles between two points
constexpr std::size_t kMostBars = 6;  // more names than these do not fit beside each other

/// "nic" of "faults.nic.rate.count".
std::string short_name(const std::string& path) {
  constexpr std::string_view kBefore = "faults.", kBehind = ".rate.count";
  if (!path.starts_with(kBefore) || !path.ends_with(kBehind)) return path;
  return path.substr(kBefore.size(), path.size() - kBefore.size() - kBehind.size());
}

void add_curve(LineChart& chart, std::string name, const FinishTimes& finish) {
  const std::vector<double>& percentiles = finish.percentiles;
  if (percentiles.empty()) return;
  ChartSeries series{.name = std::move(name), .points = {}, .line = true};
  for (std::size_t i = 0; i < percentiles.size(); ++i) {
    if (i > 0 && i + 1 < percentiles.size() && (i + 1) % kEvery != 0) continue;
    series.points.push_back({.x = percentiles[i],
                             .x_text = time_text(percentiles[i]),
                             .y = static_cast<double>(i + 1) / 100,
                             .low = {},
                             .high = {}});
  }
  chart.series.push_back(std::move(series));
}

/// A line from the bottom to the top, so that the axis reaches as far.
void add_date(LineChart& chart, double date) {
  ChartSeries series{.name = "the date", .points = {}, .line = true};
  for (const double share : {0.0, 1.0})
    series.points.push_back({.x = date, .x_text = time_text(date), .y = share, .low = {}, .high = {}});
  chart.series.push_back(std::move(series));
}

LineChart finish_chart(const PlanResult& result) {
  LineChart chart{.title = "When runs are done",
                  .x = {"after the start", ChartUnit::duration},
                  .y = {"share of runs that are done", ChartUnit::percent},
                  .series_title = "plan",
                  .series = {},
                  .marks = {}};
  const auto with = [](std::string_view plan, std::string_view kind) {
    return fmt::format("{}, {}", plan, kind);
  };
  add_curve(chart, with("as given", kIntervalCovers), result.as_given.finish);
  if (result.uncertainty) add_curve(chart, with("as given", kWithParameters), result.uncertainty->finish);
  if (result.enough) add_curve(chart, with("enough", kIntervalCovers), result.enough->finish);
  if (result.enough_uncertainty)
    add_curve(chart, with("enough", kWithParameters), result.enough_uncertainty->finish);
  if (result.best) add_curve(chart, with("best tried", kIntervalCovers), result.best->finish);
  if (result.best_uncertainty)
    add_curve(chart, with("best tried", kWithParameters), result.best_uncertainty->finish);
  if (result.finish_by_s) add_date(chart, *result.finish_by_s);
  return chart;
}

void add_end(ChartSeries& series, const Sensitivity& bar, const Change& change, const std::string& value) {
  if (!change.by) return;
  ChartPoint point{.x = 0,
                   .x_text = short_name(bar.path),
                   .y = *change.by,
                   .low = {},
                   .high = {},
                   .details = {{bar.path, value}}};
  if (change.ci95) {
    point.low = change.ci95->low;
    point.high = change.ci95->high;
  }
  series.points.push_back(std::move(point));
}

LineChart tornado_chart(const Tornado& tornado) {
  const bool time = tornado.target == "finish.p50";
  LineChart chart{.title = "What it hangs on: one parameter at a time",
                  .x = {"parameter, the widest first", ChartUnit::number, ChartScale::category},
                  .y = {time ? "change of the median finish" : "change of the ETTR",
                        time ? ChartUnit::duration : ChartUnit::percent},
                  .series_title = "the parameter",
                  .series = {{.name = "at its 5% value", .points = {}, .line = false},
                             {.name = "at its 95% value", .points = {}, .line = false}},
                  .marks = {}};
  for (std::size_t i = 0; i < std::min(tornado.bars.size(), kMostBars); ++i) {
    const Sensitivity& bar = tornado.bars[i];
    add_end(chart.series[0], bar, bar.at_low, bar.low);
    add_end(chart.series[1], bar, bar.at_high, bar.high);
  }
  return chart;
}

}  // namespace

ChartPage chart_of(const PlanResult& result, const std::string& command) {
  ChartPage page{.title = answer_line(result),
                 .subtitle = fmt::format("{}: {} per variant; 95% intervals, {}; seed {}. {}",
                                         result.facts.name, counted(result.replicas, "run"), kIntervalCovers,
                                         result.facts.seed, result.facts.question),
                 .currency = result.facts.currency,
                 .lines = {finish_chart(result)},
                 .maps = {},
                 .note = command};
  if (!result.levers.levers.empty()) page.lines.push_back(lever_chart(result.levers));
  if (!result.tornado.bars.empty()) page.lines.push_back(tornado_chart(result.tornado));
  return page;
}

}  // namespace gauntlet
