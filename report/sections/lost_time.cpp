#include "report/sections/lost_time.hpp"

#include "report/advice.hpp"
#include "report/losses.hpp"
#include "report/units.hpp"
#include "report/words.hpp"
#include "study/summary/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kMostCauses = 16;  // bars; the rest shares one

std::string share_of_wall(double seconds, double wall) {
  return wall > 0 ? percent().fine_enough_for(seconds / wall).number(seconds / wall) + "%" : "";
}

BarPart part_of(const Summary& summary, const std::string& metric, const Loss& loss, double wall) {
  BarPart part{.value = loss.seconds, .details = {{"of wall time", share_of_wall(loss.seconds, wall)}}};
  const Statistics* of = summary.find(metric);
  if (of != nullptr && of->ci95) {
    part.low = of->ci95->low;
    part.high = of->ci95->high;
  }
  if (loss.times) part.details.emplace_back("times per run", fmt::format("{:.2f}", *loss.times));
  return part;
}

BarChart bars(std::string title, std::string bars_title) {
  return {.title = std::move(title),
          .bars_title = std::move(bars_title),
          .value = {.title = "lost per run", .unit = ChartUnit::duration}};
}

BarChart by_phase(const Summary& summary, double wall) {
  BarChart chart = bars("Lost time by phase", "phase");
  for (const Loss& loss : losses_by_phase(summary))
    chart.bars.push_back({.name = loss.name, .parts = {part_of(summary, "lost_s." + loss.name, loss, wall)}});
  return chart;
}

/// The phases of a cause, or of several that share a bar.
void add_phases(Bar& bar, const std::vector<Loss>& phases, const LossGrid& grid,
                const std::vector<Cause>& causes, double wall) {
  for (const Loss& each : phases) {
    const auto phase = std::ranges::find(kPhaseNames, each.name) - kPhaseNames.begin();
    double seconds = 0;
    for (const Cause cause : causes) seconds += grid.mean(cause, static_cast<Phase>(phase));
    bar.parts.emplace_back();
    if (seconds > 0)
      bar.parts.back() =
          BarPart{.value = seconds, .details = {{"of wall time", share_of_wall(seconds, wall)}}};
  }
}

BarChart by_cause(const Summary& summary, const LossGrid& grid, double wall) {
  BarChart chart = bars("Lost time by cause", "cause");
  const std::vector<Loss> losses = losses_by_cause(summary), phases = losses_by_phase(summary);
  const std::vector<std::string> names = cause_names(summary.facts);
  const auto cause_of = [&](const Loss& loss) {
    return Cause{static_cast<std::uint32_t>(std::ranges::find(names, loss.name) - names.begin())};
  };
  if (!grid.empty()) {
    chart.kind = BarKind::stacked;
    chart.series.clear();
    for (const Loss& phase : phases) chart.series.push_back(phase.name);
  }
  const std::size_t own = losses.size() > kMostCauses + 1 ? kMostCauses : losses.size();
  for (std::size_t i = 0; i < own; ++i) {
    Bar bar{.name = losses[i].name, .parts = {}};
    if (grid.empty())
      bar.parts.push_back(part_of(summary, "lost_s.by_cause." + losses[i].name, losses[i], wall));
    else
      add_phases(bar, phases, grid, {cause_of(losses[i])}, wall);
    chart.bars.push_back(std::move(bar));
  }
  if (own == losses.size()) return chart;
  Bar rest{.name = fmt::format("{} more", losses.size() - own), .parts = {}};
  std::vector<Cause> causes;
  double seconds = 0;
  for (std::size_t i = own; i < losses.size(); ++i) {
    causes.push_back(cause_of(losses[i]));
    seconds += losses[i].seconds;
  }
  if (grid.empty())
    rest.parts.push_back(
        BarPart{.value = seconds, .details = {{"of wall time", share_of_wall(seconds, wall)}}});
  else
    add_phases(rest, phases, grid, causes, wall);
  chart.bars.push_back(std::move(rest));
  return chart;
}

}  // namespace

void LossGrid::add(const Figures& figures) {
  if (seconds_.size() < figures.lost.size()) seconds_.resize(figures.lost.size());
  for (std::size_t cause = 0; cause < figures.lost.size(); ++cause)
    for (std::size_t phase = 0; phase < kPhases; ++phase)
      seconds_[cause][phase] += to_seconds(figures.lost[cause][phase]);
  ++runs_;
}

double LossGrid::mean(Cause cause, Phase phase) const {
  if (cause.value >= seconds_.size()) return 0;
  return seconds_[cause.value][static_cast<std::size_t>(phase)] / static_cast<double>(runs_);
}

Section lost_time_section(const Summary& summary, const LossGrid& grid) {
  Section section{.heading = "Where the time went"};
  const double wall = summary.mean("wall_time_s").value_or(0);
  if (losses_by_phase(summary).empty()) {
    section.add(Paragraph{"No time was lost."});
    return section;
  }
  section.add(Paragraph{why_text(summary)});
  section.add(Chart(by_phase(summary, wall)));
  section.add(Chart(by_cause(summary, grid, wall)));
  if (const std::string next = next_text(summary); !next.empty()) section.add(Paragraph{"Try next: " + next});
  return section;
}

}  // namespace gauntlet
