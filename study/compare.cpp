#include "study/compare.hpp"

#include "core/contract.hpp"
#include "study/pair_incidents.hpp"
#include "study/paired_values.hpp"
#include "study/replica.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

// Tokens of the work may differ by this share before it is other work: whole steps of another batch.
constexpr double kSameWork = 1e-3;

bool same_work(const ScenarioFacts& a, const ScenarioFacts& b) {
  const double first = static_cast<double>(a.steps) * a.tokens_per_step;
  const double second = static_cast<double>(b.steps) * b.tokens_per_step;
  return first > 0 && second > 0 && std::abs(first - second) <= kSameWork * first;
}

Basis basis_of(const PointValues& a, const PointValues& b, const ScenarioFacts& first,
               const ScenarioFacts& second) {
  if (a.wall == b.wall) return Basis::run;
  return a.all_completed && b.all_completed && same_work(first, second) ? Basis::work : Basis::day;
}

// Runs one replica again, now with its incidents.
Figures rerun(const Point& point, std::uint64_t seed, std::uint32_t replica) {
  Simulation simulation(point.scenario.world, point.scenario.policies);
  return simulation.run({.seed = seed, .replica = replica});
}

ShownReplica show_replica(const Point& first, const Point& second, std::uint64_t seed,
                          std::uint32_t replica) {
  ShownReplica shown{.replica = replica,
                     .first = rerun(first, seed, replica),
                     .second = rerun(second, seed, replica),
                     .incidents = {}};
  const std::vector<std::string> of_first = cause_names(first.facts), of_second = cause_names(second.facts);
  shown.incidents = pair_incidents({shown.first.incidents, of_first}, {shown.second.incidents, of_second});
  shown.first.incidents.clear();
  shown.second.incidents.clear();
  return shown;
}

void add_means(const Summary& first, const Summary& second, std::vector<MetricDifference>& metrics) {
  for (MetricDifference& metric : metrics) {
    metric.first = metric.in_first ? first.mean(metric.name) : 0;
    metric.second = metric.in_second ? second.mean(metric.name) : 0;
  }
}

}  // namespace

CompareResult compare(Experiment& experiment, std::span<const ComparedPoint> points, std::uint32_t replicas,
                      std::uint64_t seed) {
  expect(points.size() >= 2 && replicas > 0, "there is something to compare");
  std::vector<PointNumber> numbers;
  for (const ComparedPoint& each : points) numbers.push_back(each.point);

  CompareResult out{.scenarios = {},
                    .comparisons = {},
                    .seed = seed,
                    .replicas = replicas,
                    .interrupted = false,
                    .notes = {}};
  if (!experiment.ensure(numbers, replicas)) {
    for (const PointNumber number : numbers)
      out.replicas = std::min(out.replicas, experiment.replicas(number));
    out.interrupted = true;
  }
  if (out.replicas == 0) return out;

  for (const ComparedPoint& each : points) {
    ComparedScenario scenario{.label = each.label,
                              .command = each.command,
                              .settings = {},
                              .summary = experiment.summary(each.point, out.replicas)};
    for (const Setting& setting : each.settings) scenario.settings.emplace_back(setting.path, setting.value);
    scenario.summary.interrupted = out.interrupted;
    out.scenarios.push_back(std::move(scenario));
  }
  const Point& base = experiment.point(numbers[0]);
  const PointValues of_base = read_values(experiment, numbers[0], out.replicas);
  for (std::uint32_t second = 1; second < points.size(); ++second) {
    const Point& other = experiment.point(numbers[second]);
    const PointValues of_other = read_values(experiment, numbers[second], out.replicas);
    Comparison comparison;
    comparison.second = second;
    comparison.basis = basis_of(of_base, of_other, base.facts, other.facts);
    comparison.metrics = differences(of_base, of_other);
    add_means(out.scenarios[0].summary, out.scenarios[second].summary, comparison.metrics);
    LossesApart losses = losses_apart(of_base, of_other, comparison.basis);
    comparison.lost = std::move(losses.all);
    comparison.because = std::move(losses.by_cause_and_phase);
    comparison.by_cause = std::move(losses.by_cause);
    comparison.by_phase = std::move(losses.by_phase);
    comparison.shown = show_replica(base, other, seed, losses.nearest);
    out.comparisons.push_back(std::move(comparison));
  }
  return out;
}

}  // namespace gauntlet
