#include "commands/validate/coverage/coverage.hpp"

#include "commands/validate/coverage/uncertainty.hpp"
#include "config/toml/files.hpp"
#include "study/controlled_ratio.hpp"
#include "study/experiment.hpp"
#include "study/statistics.hpp"

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

/// Every metric of every replica of a point, and its controls.
struct ReplicaValues {
  std::vector<Metric> metrics;
  std::vector<std::vector<Fraction>> values;  // by metric, in the order of the replicas
  std::vector<Ending> endings;
  std::vector<double> counts;  // of each replica its controls
  std::size_t borne = 0;       // controls

  /// Of the replicas from `first` on.
  MetricStatistics statistics(std::size_t metric, std::size_t first, std::size_t count) const {
    MetricStatistics of;
    for (std::size_t i = first; i < first + count; ++i)
      of.add(values[metric][i],
             metrics[metric].value == RunValue::whole_run ? endings[i] : Ending::completed);
    return of;
  }
  Controls controls(std::size_t first, std::size_t count) const {
    return Controls(std::span(counts).subspan(first * borne, count * borne), borne);
  }
};

ReplicaValues read_values(const Experiment& experiment, PointNumber point, const CoverageQuestion& question) {
  const ScenarioFacts& facts = experiment.point(point).facts;
  ReplicaValues out;
  for (Metric& metric : metrics_of(facts))
    if (!metric.pool) out.metrics.push_back(std::move(metric));
  out.values.resize(out.metrics.size());
  out.borne = controls_borne(facts, question.replicas);
  experiment.visit(point, question.replicas * question.repetitions,
                   [&](std::uint32_t, const Figures& figures) {
                     for (std::size_t i = 0; i < out.metrics.size(); ++i)
                       out.values[i].push_back(out.metrics[i].of(figures));
                     out.endings.push_back(figures.ending);
                     add_controls(facts, out.borne, figures, out.counts);
                   });
  return out;
}

/// Of what the controls leave unexplained.
double skewness(std::span<const Fraction> values, const Controls& controls) {
  ControlledRatio ratio(controls);
  for (const Fraction& each : values) ratio.add(each);
  double squares = 0, cubes = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double residual = ratio.residual(values[i], i);
    squares += residual * residual;
    cubes += residual * residual * residual;
  }
  const double n = static_cast<double>(values.size());
  return squares > 0 ? cubes / n / ((squares / n) * std::sqrt(squares / n)) : 0;
}

std::vector<CoveredMetric> covered(const ReplicaValues& replicas, const CoverageQuestion& question) {
  const std::size_t all = replicas.endings.size();
  const Controls of_all = replicas.controls(0, all);
  std::vector<Controls> controls;
  for (std::size_t first = 0; first < all; first += question.replicas)
    controls.push_back(replicas.controls(first, question.replicas));
  std::vector<CoveredMetric> out;
  for (std::size_t i = 0; i < replicas.metrics.size(); ++i) {
    const Metric& metric = replicas.metrics[i];
    const Statistics whole = replicas.statistics(i, 0, all).statistics(metric.worse, metric.value, of_all);
    if (!whole.mean) continue;
    CoveredMetric& of = out.emplace_back();
    of.name = metric.name;
    of.value = *whole.mean;
    of.skewness = skewness(replicas.values[i], of_all);
    of.exact = !(whole.se.value_or(0) > kRelativeRounding * std::abs(of.value));
    of.is_share = metric.value == RunValue::happened;
    for (std::uint32_t repetition = 0; repetition < question.repetitions; ++repetition) {
      const MetricStatistics some =
          replicas.statistics(i, std::size_t{repetition} * question.replicas, question.replicas);
      of.controlled.add(some.statistics(metric.worse, metric.value, controls[repetition]).ci95, of.value);
      of.plain.add(some.statistics(metric.worse, metric.value).ci95, of.value);
    }
  }
  return out;
}

/// False where it was interrupted.
bool cover_scenario(const std::string& name, const CoverageQuestion& question, CoverageResult& result) {
  const LoadedPoint loaded = PointSource(name, {}, question.seed).point();
  if (!loaded.point) {
    result.scenarios.push_back({.name = name, .problem = problems_text(loaded.problems), .metrics = {}});
    return true;
  }
  const auto store = Store::temporary({.command = "validate coverage",
                                       .arguments = "",
                                       .version = result.version,
                                       .seed = question.seed,
                                       .scenario = name,
                                       .text = loaded.point->text},
                                      loaded.point->facts.faults);
  const auto executor =
      make_thread_executor({.seed = question.seed, .incident_replicas = 0}, question.threads);
  Experiment experiment(*executor, *store, {.stop = question.stop, .progress = question.progress});
  const PointNumber point = experiment.add(loaded.point);
  if (!experiment.ensure({&point, 1}, question.replicas * question.repetitions)) return false;
  result.scenarios.push_back(
      {.name = name, .problem = {}, .metrics = covered(read_values(experiment, point, question), question)});
  return cover_uncertainty(question, result.uncertain, result.scenarios.back());
}

}  // namespace

CoverageResult cover(const CoverageQuestion& question) {
  CoverageResult result{.version = GAUNTLET_VERSION,
                        .seed = question.seed,
                        .replicas = question.replicas,
                        .repetitions = question.repetitions,
                        .interrupted = false,
                        .uncertain = uncertain_repetitions(question),
                        .scenarios = {}};
  for (const std::string& name : shipped_scenario_names()) {
    if (name.find('/') != std::string::npos) continue;  // drills, whose faults are given
    if (name.find(question.only) == std::string::npos) continue;
    result.interrupted = !cover_scenario(name, question, result);
    if (result.interrupted) break;
  }
  return result;
}

}  // namespace gauntlet
