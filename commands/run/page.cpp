#include "commands/run/page.hpp"

#include "report/sections/summary_page.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

struct Shown {
  std::string_view metric, title, axis;
};
constexpr std::array kShown = {Shown{"ettr", "ETTR of single replicas", "ETTR"},
                               Shown{"wall_time_s", "Wall time of single replicas", "wall time"},
                               Shown{"cost", "Cost of single replicas", "cost"}};

Section distributions(const Summary& summary, const RunDetails& details) {
  Section section{.heading = "Distribution over replicas"};
  for (const RunValues& of : details.values) {
    const auto shown = std::ranges::find(kShown, of.metric, &Shown::metric);
    if (shown == kShown.end()) continue;
    if (auto chart = distribution_chart(summary, of.metric, std::string(shown->title),
                                        std::string(shown->axis), of.values))
      section.add(std::move(*chart));
  }
  if (section.blocks.empty())
    section.add(Paragraph{summary.replicas < 2
                              ? "One replica has no distribution: run more with `--replicas`."
                              : "All replicas have the same ETTR, wall time and cost."});
  section.add(figures_table(summary));
  return section;
}

}  // namespace

Page page_of(const Summary& summary, const RunDetails& details, const ReportOptions& options) {
  Page page = summary_page(summary, "gauntlet run", options);
  page.sections = {lost_time_section(summary, details.losses), distributions(summary, details)};
  if (details.shown) {
    page.sections.push_back(over_time_section(summary.facts, *details.shown));
  } else {
    page.sections.push_back(section_without("One run over time", details.not_shown));
  }
  page.sections.push_back(detection_section(summary));
  page.sections.push_back(cost_section(summary));
  return page;
}

}  // namespace gauntlet
