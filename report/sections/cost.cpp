#include "report/sections/cost.hpp"

#include "report/sections/figures.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

Section cost_section(const Summary& summary) {
  Section section{.heading = "Cost"};
  FactList facts;
  for (const auto& [metric, name] :
       {std::pair("cost", "cost per run"), std::pair("cost.lost", "cost of lost time"),
        std::pair("cost.per_effective_gpu_hour", "per effective GPU-hour"),
        std::pair("gpu_hours", "GPU-hours per run, spares included")})
    if (auto fact = fact_of(summary, metric, name)) facts.facts.push_back(std::move(*fact));
  if (facts.facts.empty()) return section;
  section.add(std::move(facts));
  const std::optional<double> cost = summary.mean("cost"), lost = summary.mean("cost.lost");
  if (!cost || !lost) {
    section.add(Paragraph{
        "The scenario states no price of a GPU, so there is no cost. Give it one: `cost.gpu_hour`."});
    return section;
  }
  section.add(Chart(BarChart{
      .title = "What the money buys",
      .bars_title = "part",
      .value = {.title = "cost per run", .unit = ChartUnit::money},
      .bars = {{.name = "effective training", .parts = {BarPart{.value = std::max(0.0, *cost - *lost)}}},
               {.name = "lost time", .parts = {BarPart{.value = *lost}}}}}));
  return section;
}

}  // namespace gauntlet
