#include "commands/scale/page.hpp"

#include "commands/scale/text.hpp"
#include "report/sections/lost_time.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "score/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kSmallestShare = 0.0005;  // of the wall time: what never costs more has no line

struct Height {
  double y = 0;
  std::optional<Interval> ci95 = {};
};
using Draw = std::function<std::optional<Height>(const ScaledSize&)>;

ChartSeries series_of(const ScaleResult& result, std::string name, const Draw& draw) {
  ChartSeries series{.name = std::move(name), .points = {}};
  for (const ScaledSize& size : result.sizes) {
    const std::optional<Height> height = draw(size);
    if (!height) continue;
    const double gpus = size.summary.facts.gpus;
    ChartPoint point{.x = gpus, .x_text = count_text(gpus) + " GPUs", .y = height->y, .low = {}, .high = {}};
    if (height->ci95) {
      point.low = height->ci95->low;
      point.high = height->ci95->high;
    }
    point.details.emplace_back("replicas", count_text(size.summary.replicas));
    series.points.push_back(std::move(point));
  }
  return series;
}

Draw mean_of(std::string metric) {
  return [metric = std::move(metric)](const ScaledSize& size) -> std::optional<Height> {
    const Statistics* of = size.summary.find(metric);
    if (of == nullptr || !of->mean) return std::nullopt;
    return Height{*of->mean, of->ci95};
  };
}

/// The share of the wall time that a phase takes.
Draw share_of(std::string_view phase) {
  return [metric = "lost_s." + std::string(phase)](const ScaledSize& size) -> std::optional<Height> {
    const std::optional<double> wall = size.summary.mean("wall_time_s"), lost = size.summary.mean(metric);
    if (!lost || !wall || !(*wall > 0)) return std::nullopt;
    return Height{*lost / *wall};
  };
}

LineChart chart_by_size(std::string title, ChartAxis y, std::vector<ChartSeries> series) {
  std::erase_if(series, [](const ChartSeries& each) { return each.points.empty(); });
  return {.title = std::move(title),
          .x = {"GPUs", ChartUnit::number, ChartScale::logarithmic},
          .y = std::move(y),
          .series_title = "",
          .series = std::move(series),
          .marks = {}};
}

std::vector<ChartSeries> losses(const ScaleResult& result) {
  std::vector<ChartSeries> all;
  for (const std::string_view phase : kPhaseNames) {
    ChartSeries series = series_of(result, std::string(phase), share_of(phase));
    if (std::ranges::any_of(series.points, [](const ChartPoint& point) { return point.y > kSmallestShare; }))
      all.push_back(std::move(series));
  }
  return all;
}

}  // namespace

Page page_of(const ScaleResult& result, const ReportOptions& options) {
  Page page{.name = "gauntlet scale: " + result.scenario,
            .answer = answer_line(result),
            .command = options.command};
  if (result.sizes.empty()) return page;
  page.currency = result.sizes.front().summary.facts.currency;
  page.lines = {result.question, fmt::format("{}; 95% intervals, {}; seed {}; gauntlet {}.",
                                             counted(static_cast<double>(result.sizes.size()), "size"),
                                             kIntervalCovers, result.seed, result.version)};
  const ChartAxis time{"", ChartUnit::duration, ChartScale::logarithmic}, share{"", ChartUnit::percent};
  const auto named = [](ChartAxis axis, const char* title) {
    axis.title = title;
    return axis;
  };
  const auto best = [](const ScaledSize& size) -> std::optional<Height> {
    if (!size.best_interval) return std::nullopt;
    return Height{size.best_interval->seconds, size.best_interval->ci95};
  };
  Section sizes{.heading = "What the number of GPUs does"};
  for (LineChart& chart : std::vector<LineChart>{
           chart_by_size(
               "ETTR and MFU by GPUs", named(share, "share of the wall time, and of the peak rate"),
               {series_of(result, "ETTR", mean_of("ettr")), series_of(result, "MFU", mean_of("mfu"))}),
           chart_by_size("Lost time by GPUs", named(share, "share of wall time"), losses(result)),
           chart_by_size("Mean time to failure by GPUs", named(time, "mean time to failure"),
                         {series_of(result, "MTTF", mean_of("mttf_s"))}),
           chart_by_size("Best checkpoint interval by GPUs",
                         named(time, "exact optimum for exponential failures"),
                         {series_of(result, "best interval", best)})})
    if (!chart.series.empty()) sizes.add(Chart(std::move(chart)));
  page.sections.push_back(std::move(sizes));
  const ScaledSize& largest = result.sizes.back();
  Section lost = lost_time_section(largest.summary, {});
  lost.heading = fmt::format("Where the time goes at {} GPUs", count_text(largest.summary.facts.gpus));
  page.sections.push_back(std::move(lost));
  return page;
}

}  // namespace gauntlet
