#include "report/sections/over_time.hpp"

#include "core/component.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kMostBuckets = 120;
constexpr std::size_t kColouredCauses = 6;    // in colours of their own; the rest shares one
constexpr std::size_t kMostIncidents = 1000;  // that are drawn and listed: those that lost most
constexpr std::size_t kMostChanges = 2000;    // of the spare hosts in use

ChartAxis time_axis() { return {.title = "time since the start", .unit = ChartUnit::duration}; }

/// "3d 04:12", or what is shorter than a day in hours and seconds.
std::string clock_text(Time at) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at - kStart).count();
  const std::string time = fmt::format("{:02}:{:02}", seconds / 3600 % 24, seconds / 60 % 60);
  return seconds >= 86400 ? fmt::format("{}d {}", seconds / 86400, time)
                          : fmt::format("{}:{:02}", time, seconds % 60);
}

Duration lost_in(const Incident& incident) {
  Duration lost{};
  for (const Duration part : incident.lost) lost += part;
  return lost;
}

/// Those that lost most, in order of time.
std::vector<const Incident*> shown_incidents(const Figures& figures) {
  std::vector<const Incident*> all;
  for (const Incident& incident : figures.incidents) all.push_back(&incident);
  if (all.size() <= kMostIncidents) return all;
  std::ranges::stable_sort(all, std::greater<>(), [](const Incident* each) { return lost_in(*each); });
  all.resize(kMostIncidents);
  std::ranges::stable_sort(all, {}, [](const Incident* each) { return each->opened; });
  return all;
}

std::vector<ChartBand> bands_of(const std::vector<const Incident*>& incidents) {
  std::vector<ChartBand> bands;
  for (const Incident* each : incidents)
    bands.push_back({to_seconds(each->opened - kStart), to_seconds(each->closed - kStart)});
  return bands;
}

LineChart chart_over_time(std::string title, ChartAxis y, std::vector<ChartBand> bands) {
  return {.title = std::move(title),
          .x = time_axis(),
          .y = std::move(y),
          .series_title = "",
          .series = {},
          .marks = {},
          .bands_title = "incidents",
          .bands = std::move(bands)};
}

ChartPoint point_at(double seconds, double y) { return {.x = seconds, .x_text = time_text(seconds), .y = y}; }

LineChart progress_chart(const ShownRun& run, std::vector<ChartBand> bands) {
  LineChart chart = chart_over_time("Progress", {.title = "completed steps"}, std::move(bands));
  ChartSeries real{.name = "this run", .points = {point_at(0, 0)}};
  const double wall = to_seconds(run.figures.wall), bucket = to_seconds(run.bucket);
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < run.figures.over_time.size(); ++i) {
    steps += run.figures.over_time[i].steps;
    real.points.push_back(
        point_at(std::min(wall, static_cast<double>(i + 1) * bucket), static_cast<double>(steps)));
  }
  chart.series.push_back(std::move(real));
  const double effective = to_seconds(at(run.figures.phases, Phase::effective));
  if (effective > 0 && steps > 0)
    chart.series.push_back({.name = "the same pace without lost time",
                            .points = {point_at(0, 0), point_at(effective, static_cast<double>(steps))}});
  return chart;
}

const Metric* find_metric(const std::vector<Metric>& metrics, std::string_view name) {
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  return found == metrics.end() ? nullptr : &*found;
}

/// A metric of each part of the wall time.
ChartSeries series_of(const Metric& metric, std::string name, const ShownRun& run) {
  ChartSeries series{.name = std::move(name), .points = {}, .line = ChartLine::steps};
  Figures part;
  for (std::size_t i = 0; i < run.figures.over_time.size(); ++i) {
    const Duration start = static_cast<std::int64_t>(i) * run.bucket;
    part.wall = std::min(run.bucket, run.figures.wall - start);
    part.phases = run.figures.over_time[i].phases;
    part.steps = run.figures.over_time[i].steps;
    if (part.wall <= Duration::zero()) break;
    if (const auto value = metric.of(part).value())
      series.points.push_back(point_at(to_seconds(start), *value));
  }
  if (!series.points.empty())
    series.points.push_back(point_at(to_seconds(run.figures.wall), series.points.back().y));
  return series;
}

LineChart rates_chart(const ScenarioFacts& facts, const ShownRun& run, std::vector<ChartBand> bands) {
  LineChart chart = chart_over_time(
      "ETTR and MFU over time",
      {.title = "share, in parts of " + time_text(to_seconds(run.bucket)), .unit = ChartUnit::percent},
      std::move(bands));
  const std::vector<Metric> metrics = metrics_of(facts);
  for (const auto& [metric, name] : {std::pair("ettr", "ETTR"), std::pair("mfu", "MFU")})
    if (const Metric* of = find_metric(metrics, metric))
      if (ChartSeries series = series_of(*of, name, run); !series.points.empty())
        chart.series.push_back(std::move(series));
  return chart;
}

/// A point for each incident, in the colour of its cause.
LineChart incidents_chart(const std::vector<std::string>& causes,
                          const std::vector<const Incident*>& incidents, Duration wall) {
  LineChart chart{.title = "What each incident lost",
                  .x = time_axis(),
                  .y = {.title = "lost to the incident", .unit = ChartUnit::duration},
                  .series_title = "cause",
                  .series = {}};
  chart.x.span = {0, to_seconds(wall)};
  std::map<std::uint32_t, Duration> by_cause;
  for (const Incident* each : incidents) by_cause[each->cause.value] += lost_in(*each);
  std::vector<std::pair<std::uint32_t, Duration>> order(by_cause.begin(), by_cause.end());
  std::ranges::stable_sort(order, std::greater<>(), &std::pair<std::uint32_t, Duration>::second);
  const std::size_t own = std::min(order.size(), kColouredCauses);
  for (std::size_t i = 0; i < own; ++i)
    chart.series.push_back({.name = causes[order[i].first], .points = {}, .line = ChartLine::none});
  if (order.size() > own)
    chart.series.push_back({.name = "other causes", .points = {}, .line = ChartLine::none});
  std::vector<double> all;
  for (const Incident* each : incidents) {
    const double lost = to_seconds(lost_in(*each));
    if (!(lost > 0)) continue;
    const auto place =
        std::ranges::find(order, each->cause.value, &std::pair<std::uint32_t, Duration>::first);
    ChartPoint point = point_at(to_seconds(each->opened - kStart), lost);
    point.x_text = clock_text(each->opened);
    point.details = {{"cause", causes[each->cause.value]}, {"component", name_of(each->component)}};
    chart
        .series[std::min<std::size_t>(static_cast<std::size_t>(place - order.begin()),
                                      chart.series.size() - 1)]
        .points.push_back(std::move(point));
    all.push_back(lost);
  }
  std::erase_if(chart.series, [](const ChartSeries& series) { return series.points.empty(); });
  if (chart.series.size() == 1) chart.series_title = "";
  chart.y.scale = scale_for(all);
  return chart;
}

LineChart spares_chart(const ShownRun& run, std::vector<ChartBand> bands) {
  LineChart chart =
      chart_over_time("Spare hosts in use", {.title = "hosts that stand in for others or are away in repair"},
                      std::move(bands));
  ChartSeries series{.name = "", .points = {}, .line = ChartLine::steps};
  const std::size_t every = run.spares.size() / kMostChanges + 1;
  for (std::size_t i = 0; i < run.spares.size(); i += every) {
    ChartPoint point = point_at(to_seconds(run.spares[i].at - kStart), run.spares[i].hosts);
    point.x_text = clock_text(run.spares[i].at);
    series.points.push_back(std::move(point));
  }
  if (!series.points.empty())
    series.points.push_back(point_at(to_seconds(run.figures.wall), series.points.back().y));
  chart.series.push_back(std::move(series));
  return chart;
}

PageTable incidents_table(const std::vector<std::string>& causes,
                          const std::vector<const Incident*>& incidents, std::size_t all) {
  PageTable table{
      .title = incidents.size() == all
                   ? fmt::format("Incidents of this run ({})", all)
                   : fmt::format("The {} incidents of {} that lost most", incidents.size(), all),
      .header = {"opened", "cause", "component", "until progress was regained", "detection latency", "lost",
                 "most of it", "restarts", "correct evictions", "wrong evictions"},
      .rows = {},
      .folded = true};
  for (const Incident* each : incidents) {
    const auto largest = std::ranges::max_element(each->lost) - each->lost.begin();
    const Duration lost = lost_in(*each);
    table.rows.push_back(
        {clock_text(each->opened), causes[each->cause.value], name_of(each->component),
         time_text(to_seconds(each->closed - each->opened)),
         each->detected ? time_text(to_seconds(each->detection_latency)) : "", time_text(to_seconds(lost)),
         lost > Duration::zero() ? std::string(kPhaseNames[static_cast<std::size_t>(largest)]) : "",
         std::to_string(each->restarts), std::to_string(each->evictions_right),
         std::to_string(each->evictions_wrong)});
  }
  return table;
}

}  // namespace

Duration bucket_for(Duration wall) {
  constexpr std::array<Duration, 18> kLengths = {1s,    2s, 5s, 10s, 30s, 1min, 2min, 5min, 10min,
                                                 30min, 1h, 2h, 6h,  12h, 24h,  48h,  120h, 240h};
  for (const Duration length : kLengths)
    if (wall <= kMostBuckets * length) return length;
  return 720h * (wall / (kMostBuckets * Duration(720h)) + 1);
}

Section over_time_section(const ScenarioFacts& facts, const ShownRun& run) {
  Section section{.heading = "One run over time"};
  section.add(Paragraph{run.why});
  const std::vector<std::string> causes = cause_names(facts);
  const std::vector<const Incident*> incidents = shown_incidents(run.figures);
  const std::vector<ChartBand> bands = bands_of(incidents);
  section.add(Chart(progress_chart(run, bands)));
  if (LineChart chart = rates_chart(facts, run, bands); !chart.series.empty())
    section.add(Chart(std::move(chart)));
  if (incidents.empty()) {
    section.add(Paragraph{"This run has no incident."});
  } else {
    if (LineChart chart = incidents_chart(causes, incidents, run.figures.wall); !chart.series.empty())
      section.add(Chart(std::move(chart)));
    section.add(incidents_table(causes, incidents, run.figures.incidents.size()));
  }
  if (facts.spares == 0) {
    section.add(Paragraph{"The scenario has no spare hosts."});
  } else if (run.spares.size() > 1) {
    section.add(Chart(spares_chart(run, bands)));
  } else {
    section.add(Paragraph{fmt::format("No spare host was used, of {}.", count_text(facts.spares))});
  }
  return section;
}

}  // namespace gauntlet
