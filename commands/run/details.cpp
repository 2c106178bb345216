#include "commands/run/details.hpp"

#include "report/units.hpp"
#include "report/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

struct Valued {
  double value = 0;
  std::uint32_t place = 0;  // among the replicas of the store
};

/// The replica in the middle of all by ETTR, of equal ones the first.
std::uint32_t median_place(const std::vector<Fraction>& ettr) {
  std::vector<Valued> all;
  for (std::uint32_t place = 0; place < ettr.size(); ++place)
    all.push_back({ettr[place].value().value_or(0), place});
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 2);
  std::ranges::nth_element(all, middle, [](const Valued& a, const Valued& b) {
    return a.value != b.value ? a.value < b.value : a.place < b.place;
  });
  const auto first = std::ranges::find(all, middle->value, &Valued::value);
  std::uint32_t place = middle->place;
  for (auto each = first; each != all.end(); ++each)
    if (each->value == middle->value) place = std::min(place, each->place);
  return place;
}

std::vector<double> values_of(const ReplicaReader& read, std::string_view metric) {
  const std::vector<Fraction>&of = read.values(metric), &gave_up = read.values("gave_up");
  const bool whole = run_value_of(metric) == RunValue::whole_run;
  std::vector<double> values;
  for (std::size_t i = 0; i < of.size(); ++i)
    if (const auto value = of[i].value(); value && !(whole && gave_up[i].numerator > 0))
      values.push_back(*value);
  return values;
}

std::string why_text(const Summary& summary, std::uint32_t replica, double ettr) {
  const Unit unit = percent().fine_enough_for(0.01);
  if (summary.replicas == 1)
    return fmt::format("Replica {}, which is the only one: its ETTR is {}%.", replica, unit.number(ettr));
  return fmt::format(
      "Replica {} has the median ETTR of {}: {}%. The same command with `--replica {}` runs it alone.",
      replica, counted(summary.replicas, "replica"), unit.number(ettr), replica);
}

}  // namespace

ReplicaReader::ReplicaReader(const ScenarioFacts& facts) {
  constexpr std::string_view kMetrics[] = {"ettr", "wall_time_s", "cost", "gave_up"};
  for (Metric& each : metrics_of(facts))
    if (std::ranges::find(kMetrics, each.name) != std::end(kMetrics)) metrics.push_back(std::move(each));
  of.resize(metrics.size());
}

void ReplicaReader::see(std::uint32_t replica, const Figures& figures) {
  losses.add(figures);
  for (std::size_t i = 0; i < metrics.size(); ++i) of[i].push_back(metrics[i].of(figures));
  numbers.push_back(replica);
  walls.push_back(figures.wall);
}

const std::vector<Fraction>& ReplicaReader::values(std::string_view name) const {
  return of.at(static_cast<std::size_t>(std::ranges::find(metrics, name, &Metric::name) - metrics.begin()));
}

RunDetails run_details(Experiment& experiment, PointNumber point, const Summary& summary,
                       const ReplicaReader& read, const StudyTerms& terms) {
  RunDetails details;
  details.losses = read.losses;
  const std::vector<Fraction>& ettr = read.values("ettr");
  const std::uint32_t place = median_place(ettr), number = read.numbers.at(place);
  const Duration wall = read.walls.at(place);
  for (const char* metric : {"ettr", "wall_time_s", "cost"})
    if (std::ranges::find(read.metrics, std::string_view(metric), &Metric::name) != read.metrics.end())
      details.values.push_back({metric, values_of(read, metric)});
  if (summary.interrupted || wall <= Duration::zero()) {
    details.not_shown =
        summary.interrupted
            ? "The study was interrupted, so no replica is shown over time. Continue it with `--resume`."
            : "No time has passed, so no replica is shown over time.";
    return details;
  }
  ShownRun shown{.why = why_text(summary, number, ettr[place].value().value_or(0)),
                 .bucket = bucket_for(wall)};
  const Scenario& scenario = experiment.point(point).scenario;
  Simulation simulation(scenario.world, scenario.policies);
  const bool whole = experiment.run_again(
      simulation,
      {.seed = terms.seed, .replica = number, .full_telemetry = terms.full_telemetry, .bucket = shown.bucket},
      shown.figures);
  if (!whole) {
    details.not_shown =
        "The study was interrupted, so no replica is shown over time. Continue it with `--resume`.";
    return details;
  }
  shown.spares = spares_in_use(simulation.record());
  details.shown = std::move(shown);
  return details;
}

}  // namespace gauntlet
