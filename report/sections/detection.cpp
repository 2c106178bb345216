#include "report/sections/detection.hpp"

#include "report/sections/figures.hpp"
#include "report/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kMostKinds = 24;  // bars; the table has all

struct Kind {
  std::string name;
  double lost = 0, met = 0, detected = 0, missed = 0, missed_cost = 0, wrong = 0;
  std::optional<double> recall, p50, p95, handled;
};

/// Those that met the job in some run, by what they cost.
std::vector<Kind> kinds_of(const Summary& summary) {
  std::vector<Kind> kinds;
  for (const std::string& fault : summary.facts.faults) {
    const auto mean = [&](std::string_view measure) {
      return summary.mean(fmt::format("detection.by_kind.{}.{}", fault, measure));
    };
    const double missed_cost = mean("missed_cost_s").value_or(0);
    Kind kind{.name = fault,
              .lost = std::max(summary.mean("lost_s.by_cause." + fault).value_or(0), missed_cost),
              .met = mean("met").value_or(0),
              .detected = mean("detected").value_or(0),
              .missed = mean("missed").value_or(0),
              .missed_cost = missed_cost,
              .wrong = mean("evictions_wrong").value_or(0),
              .recall = mean("recall"),
              .p50 = mean("latency_p50_s"),
              .p95 = mean("latency_p95_s"),
              .handled = mean("handled_share")};
    if (kind.met > 0) kinds.push_back(std::move(kind));
  }
  std::ranges::stable_sort(kinds, std::greater<>(), &Kind::lost);
  return kinds;
}

ChartDetails details_of(const Kind& kind) {
  return {{"reached the job per run", fmt::format("{:.2f}", kind.met)}};
}

BarChart latency_chart(const std::vector<Kind>& kinds) {
  BarChart chart{.title = "Detection latency by fault kind",
                 .bars_title = "fault kind",
                 .value = {.title = "from the onset of harm to the first order", .unit = ChartUnit::duration},
                 .series = {"p50", "p95"},
                 .kind = BarKind::dots};
  std::vector<double> all;
  for (const Kind& kind : kinds) {
    if (!kind.p50 || !kind.p95 || chart.bars.size() == kMostKinds) continue;
    chart.bars.push_back(
        {.name = kind.name,
         .parts = {BarPart{.value = *kind.p50, .details = details_of(kind)}, BarPart{.value = *kind.p95}}});
    all.insert(all.end(), {*kind.p50, *kind.p95});
  }
  chart.value.scale = scale_for(all);
  return chart;
}

BarChart recall_chart(const std::vector<Kind>& kinds) {
  BarChart chart{
      .title = "Recall by fault kind",
      .bars_title = "fault kind",
      .value = {.title = "detected, of the faults that needed an answer", .unit = ChartUnit::percent}};
  for (const Kind& kind : kinds) {
    if (!kind.recall || chart.bars.size() == kMostKinds) continue;
    chart.bars.push_back(
        {.name = kind.name, .parts = {BarPart{.value = *kind.recall, .details = details_of(kind)}}});
  }
  return chart;
}

std::string count(double of) {
  return of == 0 ? "0" : fmt::format("{:.{}f}", of, of < 0.05 ? 3 : of < 10 ? 2 : 1);
}
std::string share(const std::optional<double>& of) { return of ? fmt::format("{:.1f}%", 100 * *of) : ""; }
std::string time(const std::optional<double>& of) { return of && *of > 0 ? time_text(*of) : ""; }

PageTable table_of(const std::vector<Kind>& kinds) {
  PageTable table{.title = "Detection per run, by fault kind",
                  .header = {"fault kind", "reached job", "detected", "missed", "recall", "p50 latency",
                             "p95 latency", "handled automatically", "cost of missed", "wrong evictions"},
                  .rows = {},
                  .folded = true};
  for (const Kind& kind : kinds)
    table.rows.push_back({kind.name, count(kind.met), count(kind.detected), count(kind.missed),
                          share(kind.recall), time(kind.p50), time(kind.p95), share(kind.handled),
                          time(kind.missed_cost), count(kind.wrong)});
  return table;
}

}  // namespace

Section detection_section(const Summary& summary) {
  Section section{.heading = "Detection by fault kind"};
  const std::vector<Kind> kinds = kinds_of(summary);
  if (kinds.empty()) {
    section.add(Paragraph{"No fault reached the job, so there was nothing to detect."});
    return section;
  }
  FactList facts;
  for (const auto& [metric, name] :
       {std::pair("detection.recall", "recall"), std::pair("detection.precision", "precision"),
        std::pair("evictions.precision", "precision of evictions"),
        std::pair("false_alarms", "false alarms per run"), std::pair("false_alerts", "false alerts per run"),
        std::pair("handled_share", "handled automatically"),
        std::pair("detection_latency_s", "mean latency")})
    if (auto fact = fact_of(summary, metric, name)) facts.facts.push_back(std::move(*fact));
  section.add(std::move(facts));
  section.add(
      Paragraph{"A false alarm belongs to no fault kind, so precision is a figure of all kinds together."});
  if (BarChart chart = latency_chart(kinds); !chart.bars.empty()) section.add(Chart(std::move(chart)));
  const auto whole = [](const Kind& kind) { return kind.recall.value_or(1) == 1; };
  if (std::ranges::all_of(kinds, whole)) {
    section.add(Paragraph{"Recall by fault kind: 100% of each kind."});
  } else if (BarChart chart = recall_chart(kinds); !chart.bars.empty()) {
    section.add(Chart(std::move(chart)));
  }
  section.add(table_of(kinds));
  return section;
}

}  // namespace gauntlet
