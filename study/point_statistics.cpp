#include "study/point_statistics.hpp"

#include "core/infinity.hpp"

namespace gauntlet {
namespace {

/// How each run ended, as far as a metric of whole runs asks.
std::vector<Fraction> gave_up(const Experiment& experiment, PointNumber point, std::string_view metric,
                              std::uint32_t count) {
  if (run_value_of(metric) != RunValue::whole_run) return {};
  return experiment.values(point, "gave_up", count);
}

}  // namespace

Statistics statistics_of(const Experiment& experiment, PointNumber point, std::string_view metric,
                         std::uint32_t first, std::uint32_t end) {
  const std::vector<Fraction> values = experiment.values(point, metric, end);
  const std::vector<Fraction> ended = gave_up(experiment, point, metric, end);
  MetricStatistics of;
  for (std::size_t i = first; i < values.size(); ++i)
    of.add(values[i], !ended.empty() && ended[i].numerator > 0 ? Ending::gave_up : Ending::completed);
  return of.statistics(worse_of(experiment.point(point).facts, metric), run_value_of(metric),
                       experiment.controls(point, first, end - first));
}

std::vector<double> run_values(const Experiment& experiment, PointNumber point, std::string_view metric,
                               std::uint32_t count) {
  const std::vector<Fraction> values = experiment.values(point, metric, count);
  const std::vector<Fraction> ended = gave_up(experiment, point, metric, count);
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (const auto own = values[i].value())
      out.push_back(!ended.empty() && ended[i].numerator > 0 ? kInfinity : *own);
  return out;
}

}  // namespace gauntlet
