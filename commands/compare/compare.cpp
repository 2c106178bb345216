#include "commands/compare/compare.hpp"

#include "commands/compare/answer.hpp"
#include "commands/compare/pair_incidents.hpp"
#include "commands/compare/paired_values.hpp"
#include "core/contract.hpp"
#include "study/replica.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace gauntlet {
namespace {

// Runs one replica again, now with its incidents.
bool rerun(Experiment& experiment, const Point& point, const ReplicaOptions& options, Figures& figures) {
  Simulation simulation(point.scenario.world, point.scenario.policies);
  return experiment.run_again(simulation, options, figures);
}

// Nothing where the experiment was stopped.
std::optional<ShownReplica> show_replica(Experiment& experiment, const Point& first, const Point& second,
                                         const ReplicaOptions& options) {
  ShownReplica shown{.replica = options.replica, .first = {}, .second = {}, .incidents = {}};
  if (!rerun(experiment, first, options, shown.first) || !rerun(experiment, second, options, shown.second))
    return std::nullopt;
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

// Amounts in two currencies have no difference. What to tell people, where that is so.
std::optional<std::string> leave_costs_out(const Summary& first, Comparison& comparison,
                                           const Summary& second) {
  const bool priced = first.facts.has_price() && second.facts.has_price();
  if (!priced || first.facts.currency == second.facts.currency) return std::nullopt;
  for (MetricDifference& metric : comparison.metrics)
    if (metric.name.starts_with("cost")) metric.of = {};
  return fmt::format(
      "Costs are not compared: those of A are in {}, and those of {} in {}; no exchange rates are known.",
      first.facts.currency, scenario_letter(comparison.second), second.facts.currency);
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
    out.scenarios.push_back(std::move(scenario));
  }
  const Point& base = experiment.point(numbers[0]);
  for (std::uint32_t second = 1; second < points.size(); ++second) {
    const Point& other = experiment.point(numbers[second]);
    HeldTogether held = hold_together(experiment, numbers[0], numbers[second], out.replicas);
    Comparison comparison;
    comparison.second = second;
    comparison.basis = held.basis;
    comparison.metrics = std::move(held.metrics);
    add_means(out.scenarios[0].summary, out.scenarios[second].summary, comparison.metrics);
    if (auto note = leave_costs_out(out.scenarios[0].summary, comparison, out.scenarios[second].summary))
      out.notes.push_back(std::move(*note));
    comparison.lost = std::move(held.lost);
    comparison.because = std::move(held.by_cause_and_phase);
    comparison.by_cause = std::move(held.by_cause);
    comparison.by_phase = std::move(held.by_phase);
    comparison.shown = show_replica(experiment, base, other, {.seed = seed, .replica = held.nearest});
    out.comparisons.push_back(std::move(comparison));
  }
  out.interrupted = experiment.fell_short();
  for (ComparedScenario& scenario : out.scenarios) scenario.summary.interrupted = out.interrupted;
  return out;
}

}  // namespace gauntlet
