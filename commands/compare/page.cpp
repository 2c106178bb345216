#include "commands/compare/page.hpp"

#include "commands/compare/answer.hpp"
#include "commands/compare/timeline.hpp"
#include "report/metric_unit.hpp"
#include "report/sections/figures.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostBars = 14;
constexpr double kSmallestBar = 0.005;  // of the longest: a shorter one cannot be seen

std::string_view per_text(Basis basis) { return basis == Basis::day ? "per day of wall time" : "per run"; }

std::string name_of(const LossDifference& loss) {
  if (loss.cause.empty() && loss.phase)
    return std::string(kPhaseNames[static_cast<std::size_t>(*loss.phase)]);
  if (!loss.phase) return loss.cause;
  return fmt::format("{}, {}", loss.cause, kPhaseNames[static_cast<std::size_t>(*loss.phase)]);
}

/// What each scenario loses, in pairs of bars.
BarChart both(const std::vector<LossDifference>& losses, const Comparison& comparison, const char* what) {
  BarChart chart{
      .title = fmt::format("Lost time by {}", what),
      .bars_title = what,
      .value = {.title = fmt::format("lost {}", per_text(comparison.basis)), .unit = ChartUnit::duration},
      .series = {"A", scenario_letter(comparison.second)}};
  for (const LossDifference& loss : losses)
    if ((loss.first > 0 || loss.second > 0) && chart.bars.size() < kMostBars)
      chart.bars.push_back(
          {.name = name_of(loss), .parts = {BarPart{.value = loss.first}, BarPart{.value = loss.second}}});
  return chart;
}

/// By how much they differ, with paired intervals.
BarChart differences(const Comparison& comparison) {
  BarChart chart{
      .title = "What makes the difference, by cause and phase",
      .bars_title = "cause, phase",
      .value = {.title = fmt::format("lost time of {} minus A, {} (negative: {} loses less)",
                                     scenario_letter(comparison.second), per_text(comparison.basis),
                                     scenario_letter(comparison.second)),
                .unit = ChartUnit::duration}};
  double longest = 0;
  for (const LossDifference& loss : comparison.because)
    longest = std::max(longest, std::abs(loss.of.difference.value_or(0)));
  for (const LossDifference& loss : comparison.because) {
    if (!loss.of.difference || *loss.of.difference == 0 || chart.bars.size() == kMostBars) continue;
    if (std::abs(*loss.of.difference) < kSmallestBar * longest) continue;
    BarPart part{.value = *loss.of.difference};
    if (loss.of.ci95) {
      part.low = loss.of.ci95->low;
      part.high = loss.of.ci95->high;
    }
    chart.bars.push_back({.name = name_of(loss), .parts = {std::move(part)}});
  }
  return chart;
}

PageTable main_table(const CompareResult& result, const Comparison& comparison) {
  const std::string second = scenario_letter(comparison.second);
  PageTable table{.title = "Figures per run",
                  .header = {"figure", "unit", "A", second, second + " - A", "±"},
                  .rows = {}};
  constexpr std::array<std::string_view, 10> kShown = {"ettr",
                                                       "mfu",
                                                       "goodput_tokens_per_s",
                                                       "wall_time_s",
                                                       "interruptions",
                                                       "mttf_s",
                                                       "detection_latency_s",
                                                       "handled_share",
                                                       "cost",
                                                       "cost.per_effective_gpu_hour"};
  for (const std::string_view name : kShown) {
    const MetricDifference* metric = comparison.find(name);
    if (metric == nullptr || !metric->first || !metric->second || !metric->of.difference) continue;
    const double error = metric->of.ci95 ? longer_side(*metric->of.ci95, *metric->of.difference) : 0;
    const Unit unit = metric_unit(name, std::max(*metric->first, *metric->second),
                                  result.scenarios[0].summary.facts.currency)
                          .fine_enough_for(error > 0 ? error : std::abs(*metric->of.difference) / 10);
    table.rows.push_back({std::string(name), unit.name, unit.number(*metric->first),
                          unit.number(*metric->second), signed_number(unit, *metric->of.difference),
                          error > 0 ? unit.number(error) : "-"});
  }
  return table;
}

/// "ETTR, B - A: +2.72 points ± 0.86"; nothing where they cannot be compared.
std::optional<Fact> difference_fact(const Comparison& comparison) {
  const MetricDifference* metric = comparison.find("ettr");
  if (metric == nullptr || !metric->of.difference) return std::nullopt;
  const double error = metric->of.ci95 ? longer_side(*metric->of.ci95, *metric->of.difference) : 0;
  const Unit unit = percent().fine_enough_for(error > 0 ? error : std::abs(*metric->of.difference) / 10);
  return Fact{.name = fmt::format("ETTR, {} - A", scenario_letter(comparison.second)),
              .value = signed_number(unit, *metric->of.difference) + " points" +
                       (error > 0 ? " ± " + unit.number(error) : ""),
              .note = "paired, under the same faults"};
}

/// p5, p50 and p95 of the runs of each scenario.
std::optional<Chart> spread_chart(const CompareResult& result, std::string_view metric, std::string title) {
  BarChart chart{
      .title = std::move(title),
      .bars_title = "scenario",
      .value = {.title = "5%, 50% and 95% of the runs are at or below", .unit = chart_unit(metric)},
      .series = {"p5", "p50", "p95"},
      .kind = BarKind::dots};
  for (std::size_t i = 0; i < result.scenarios.size(); ++i) {
    const Statistics* of = result.scenarios[i].summary.find(metric);
    if (of == nullptr || !of->p5 || !of->p50 || !of->p95 || of->n < kFewestForInterval || *of->p5 == *of->p95)
      continue;
    chart.bars.push_back(
        {.name = scenario_letter(i),
         .parts = {BarPart{.value = *of->p5}, BarPart{.value = *of->p50}, BarPart{.value = *of->p95}}});
  }
  return chart.bars.empty() ? std::nullopt : std::optional<Chart>(std::move(chart));
}

Section section_of(const CompareResult& result, const Comparison& comparison) {
  const std::string second = scenario_letter(comparison.second);
  Section section{.heading = fmt::format("{} against A", second)};
  section.add(main_table(result, comparison));
  if (BarChart chart = differences(comparison); !chart.bars.empty()) section.add(Chart(std::move(chart)));
  for (const auto& [losses, what] :
       {std::pair(&comparison.by_phase, "phase"), std::pair(&comparison.by_cause, "cause")})
    if (BarChart chart = both(*losses, comparison, what); !chart.bars.empty())
      section.add(Chart(std::move(chart)));
  if (!comparison.shown) return section;
  section.add(Paragraph{fmt::format(
      "Replica {} is the most typical: its differences by cause and phase are nearest to the means.",
      comparison.shown->replica)});
  section.add(Verbatim{timeline(*comparison.shown, "A", second),
                       fmt::format("The incidents of replica {} in both", comparison.shown->replica)});
  return section;
}

}  // namespace

Page page_of(const CompareResult& result, const ReportOptions& options) {
  Page page{.name = "gauntlet compare", .answer = "", .command = options.command};
  if (result.replicas == 0 || result.comparisons.empty()) return page;
  page.currency = result.scenarios[0].summary.facts.currency;
  page.name += ": " + result.scenarios[0].summary.facts.name;
  page.answer = answer_line(result, result.comparisons.front());
  for (const Comparison& comparison : result.comparisons) {
    if (&comparison != &result.comparisons.front()) page.lines.push_back(answer_line(result, comparison));
    page.lines.push_back(consequence(result, comparison));
  }
  for (std::size_t i = 0; i < result.scenarios.size(); ++i)
    page.lines.push_back(fmt::format("{}: {}", scenario_letter(i), result.scenarios[i].label));
  page.lines.push_back(fmt::format("{} of each under the same faults; paired 95% intervals, {}; seed {}.",
                                   counted(result.replicas, "replica"), kIntervalCovers, result.seed));
  page.lines.insert(page.lines.end(), result.notes.begin(), result.notes.end());
  for (std::size_t i = 0; i < result.scenarios.size(); ++i)
    if (auto fact = fact_of(result.scenarios[i].summary, "ettr", "ETTR of " + scenario_letter(i)))
      page.figures.push_back(std::move(*fact));
  for (const Comparison& comparison : result.comparisons) {
    if (auto fact = difference_fact(comparison)) page.figures.push_back(std::move(*fact));
    page.sections.push_back(section_of(result, comparison));
  }
  Section spread{.heading = "How single runs are distributed"};
  for (const auto& [metric, title] :
       {std::pair("ettr", "ETTR of single runs"), std::pair("wall_time_s", "Wall time of single runs"),
        std::pair("cost", "Cost of single runs")})
    if (auto chart = spread_chart(result, metric, title)) spread.add(std::move(*chart));
  page.sections.push_back(std::move(spread));
  return page;
}

}  // namespace gauntlet
