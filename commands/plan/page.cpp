#include "commands/plan/page.hpp"

#include "commands/plan/text.hpp"
#include "commands/plan/words.hpp"
#include "report/levers/levers.hpp"
#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kEvery = 5;  // percentiles between two points
constexpr std::size_t kMostBars = 16;

/// "nic" of "faults.nic.rate.count".
std::string short_name(const std::string& path) {
  constexpr std::string_view kBefore = "faults.", kBehind = ".rate.count";
  if (!path.starts_with(kBefore) || !path.ends_with(kBehind)) return path;
  return path.substr(kBefore.size(), path.size() - kBefore.size() - kBehind.size());
}

void add_curve(LineChart& chart, std::string name, const FinishTimes& finish) {
  const std::vector<double>& percentiles = finish.percentiles;
  if (percentiles.empty()) return;
  ChartSeries series{.name = std::move(name), .points = {}};
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
  const auto add = [&](std::string_view plan, const PlanOutcome& of, const Uncertainty* unknown) {
    add_curve(chart, with(plan, kIntervalCovers), of.finish);
    if (unknown != nullptr) add_curve(chart, with(plan, kWithParameters), unknown->finish);
  };
  add("as given", result.as_given, drawn(result.uncertainty));
  if (result.enough) add("enough", *result.enough, drawn(result.enough_uncertainty));
  if (result.best) add("best tried", *result.best, drawn(result.best_uncertainty));
  if (result.finish_by_s && !chart.series.empty())
    chart.marks.push_back(
        {.x = *result.finish_by_s, .x_text = "", .text = "required: " + deadline_text(result)});
  return chart;
}

std::optional<BarPart> part_of(const Change& change, ChartDetails details = {}) {
  if (!change.by) return std::nullopt;
  BarPart part{.value = *change.by, .details = std::move(details)};
  if (change.ci95) {
    part.low = change.ci95->low;
    part.high = change.ci95->high;
  }
  return part;
}

BarChart tornado_chart(const Tornado& tornado) {
  const bool time = tornado.target == "finish.p50";
  BarChart chart{.title = "What the finish date depends on: one parameter at a time",
                 .bars_title = "parameter",
                 .value = {time ? "change of the median finish" : "change of the ETTR",
                           time ? ChartUnit::duration : ChartUnit::percent},
                 .series = {"at its 5% value", "at its 95% value"}};
  for (std::size_t i = 0; i < std::min(tornado.bars.size(), kMostBars); ++i) {
    const Sensitivity& bar = tornado.bars[i];
    chart.bars.push_back({.name = short_name(bar.path),
                          .parts = {part_of(bar.at_low, {{"5% value", bar.low}}),
                                    part_of(bar.at_high, {{"95% value", bar.high}})}});
  }
  return chart;
}

BarChart purchase_chart(const std::vector<Purchase>& bought, std::string title) {
  BarChart chart{.title = std::move(title),
                 .bars_title = "one more",
                 .value = {"change of the time by which 95% of the runs finish", ChartUnit::duration}};
  for (const Purchase& each : bought)
    if (auto part = part_of(each.p95)) chart.bars.push_back({.name = each.what, .parts = {std::move(part)}});
  return chart;
}

/// Shares of the variance of the finish of one run.
BarChart source_chart(const Uncertainty& of) {
  BarChart chart{.title = "Where the uncertainty of the finish comes from",
                 .bars_title = "source",
                 .value = {"share of the variance of one run's finish", ChartUnit::percent}};
  for (const RankedSource& source : ranked_sources(of)) {
    if (chart.bars.size() == kMostBars) break;
    BarPart part{.value = source.share};
    if (source.ci95) {
      part.low = source.ci95->low;
      part.high = source.ci95->high;
    }
    chart.bars.push_back({.name = short_name(source.name), .parts = {std::move(part)}});
  }
  return chart;
}

void add_outcome(PageTable& table, const PlanResult& result, std::string name, const PlanOutcome& of,
                 const Uncertainty* unknown) {
  const FinishTimes& finish = unknown != nullptr ? unknown->finish : of.finish;
  const Unit unit = date_unit(result);
  const auto time = [&](std::size_t percent) {
    if (!is_known(finish, percent)) return std::string("-");
    const std::optional<double> at = finish.at(percent);
    return at ? unit.number(*at) + " " + unit.name : std::string("never");
  };
  const bool priced = result.facts.has_price();
  std::optional<double> cost = (priced ? of.cost : of.gpu_hours).mean;
  if (unknown != nullptr) {
    const UncertainMetric* drawn_cost = unknown->find(priced ? "cost" : "gpu_hours");
    cost = drawn_cost != nullptr ? drawn_cost->mean : std::nullopt;
  }
  const Unit money = cost ? amount_unit(*cost, priced ? result.facts.currency : "GPU-hours") : Unit{};
  std::string by_date = "-";
  if (result.finish_by_s)
    by_date =
        unknown != nullptr ? share_text(unknown->share_by_date, unknown->share_ci95) : share_text(of.by_date);
  table.rows.push_back({std::move(name), count_text(static_cast<double>(of.size.gpus)),
                        count_text(of.size.spares), time(5), time(50), time(95), std::move(by_date),
                        cost ? money.number(*cost) + " " + money.name : "-"});
}

PageTable sizes(const PlanResult& result) {
  PageTable table{.title = "What it takes",
                  .header = {"plan", "GPUs", "spare hosts", "5% finish within", "50% within", "95% within",
                             "finish by the date", "cost per run"},
                  .rows = {}};
  add_outcome(table, result, "as given", result.as_given, drawn(result.uncertainty));
  if (result.enough) add_outcome(table, result, "enough", *result.enough, drawn(result.enough_uncertainty));
  if (result.best) add_outcome(table, result, "best tried", *result.best, drawn(result.best_uncertainty));
  return table;
}

/// Of the plan as given, and the GPUs that are enough.
std::vector<Fact> figures_of(const PlanResult& result) {
  const Uncertainty* given = drawn(result.uncertainty);
  const FinishTimes& finish = given != nullptr ? given->finish : result.as_given.finish;
  const Unit unit = date_unit(result);
  std::vector<Fact> figures;
  const std::optional<double> in_time =
      given != nullptr ? given->share_by_date : result.as_given.by_date.value();
  if (result.finish_by_s)
    figures.push_back(
        {.name = (has_last_day(result) ? "Finish by " : "Finish within ") + deadline_text(result),
         .value = in_time ? percent_text(*in_time) : "unknown",
         .note = fmt::format("required: {:g}%", 100 * result.confidence)});
  for (const auto& [name, share] : {std::pair("Half finish within", 50), std::pair("95% finish within", 95)})
    if (const auto at = known_at(finish, static_cast<std::size_t>(share)))
      figures.push_back({.name = name, .value = unit.number(*at) + " " + unit.name, .note = "as given"});
  if (result.enough)
    figures.push_back({.name = "Enough",
                       .value = counted(static_cast<double>(result.enough->size.gpus), "GPU"),
                       .note = counted(result.enough->size.spares, "spare host")});
  return figures;
}

Section dependence(const PlanResult& result) {
  Section section{.heading = "What the finish date depends on"};
  if (BarChart chart = purchase_chart(result.one_more, "One more of each thing, from the plan as given");
      !chart.bars.empty())
    section.add(Chart(std::move(chart)));
  if (BarChart chart = purchase_chart(result.enough_one_more, "One more of each thing, from what is enough");
      !chart.bars.empty())
    section.add(Chart(std::move(chart)));
  if (!result.tornado.bars.empty()) section.add(Chart(tornado_chart(result.tornado)));
  const Uncertainty* given = drawn(result.uncertainty);
  if (given != nullptr && given->finish_variance) section.add(Chart(source_chart(*given)));
  return section;
}

}  // namespace

Page page_of(const PlanResult& result, const ReportOptions& options) {
  Page page{.name = "gauntlet plan: " + result.facts.name,
            .answer = answer_line(result),
            .lines = {result.facts.question,
                      fmt::format("{}; seed {}; gauntlet {}. {}", runs_text(result), result.facts.seed,
                                  result.facts.version, what_intervals_cover(result))},
            .command = options.command,
            .currency = result.facts.currency};
  if (result.interrupted) page.lines.emplace_back(kInterrupted);
  page.figures = figures_of(result);
  Section finish{.heading = "When the work is done"};
  if (LineChart chart = finish_chart(result); !chart.series.empty()) finish.add(Chart(std::move(chart)));
  finish.add(sizes(result));
  page.sections.push_back(std::move(finish));
  page.sections.push_back(dependence(result));
  page.sections.push_back(lever_section(result.levers));
  Section notes{.heading = "Assumptions of the plan"};
  for (const std::string& note : result.notes) notes.add(Paragraph{note});
  page.sections.push_back(std::move(notes));
  return page;
}

}  // namespace gauntlet
