#include "study/uncertainty.hpp"

#include "core/math/special.hpp"
#include "study/finish.hpp"
#include "study/statistics.hpp"
#include "study/uncertainty_effects.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

/// Quantiles of all sums of one of `runs` and one of `effects`.
FinishTimes quantiles_of_sums(std::span<const double> runs, std::span<const double> effects) {
  runs = runs.first(std::min(runs.size(), kMostCombined));
  std::vector<double> sums;
  sums.reserve(runs.size() * effects.size());
  for (const double effect : effects)
    for (const double run : runs) sums.push_back(run + effect);
  return quantiles_of(sums);
}

/// Draws, their points and what was asked for: the workspace of one call.
struct Drawn {
  Experiment* experiment;
  PointNumber base;
  std::vector<PointNumber> points;  // by draw
  std::uint32_t replicas;           // of the base
  std::uint32_t each;               // of a draw

  std::vector<Fraction> values(PointNumber point, const std::string& metric, std::uint32_t count) const {
    return experiment->values(point, metric, count);
  }
};

UncertainMetric metric_of(const Drawn& drawn, const std::string& name) {
  UncertainMetric out;
  out.name = name;
  const std::vector<Fraction> all = drawn.values(drawn.base, name, drawn.replicas);
  MetricStatistics known;
  for (const Fraction& value : all) known.add(value);
  out.known = known.statistics();
  if (!out.known.mean) return out;

  const std::span<const Fraction> first = std::span(all).first(drawn.each);
  std::vector<std::optional<DrawEffect>> effects;
  for (const PointNumber point : drawn.points)
    effects.push_back(effect_of(first, drawn.values(point, name, drawn.each)));
  const DrawEffects effect = summed_up(effects);
  const double error = out.known.se.value_or(0);
  out.mean = *out.known.mean + effect.mean;
  out.parameter_variance = effect.variance;
  out.run_variance = out.known.sd.value_or(0) * out.known.sd.value_or(0);
  const double half_width =
      student_t_quantile(0.975, std::max(1.0, static_cast<double>(effects.size()) - 1)) *
      std::sqrt(effect.variance + effect.variance_of_mean + error * error);
  out.ci95 = Interval{*out.mean - half_width, *out.mean + half_width};
  std::vector<double> runs;
  for (const Fraction& value : all)
    if (const auto own = value.value()) runs.push_back(*own);
  const FinishTimes quantiles = quantiles_of_sums(runs, effect.each);
  // A sum of a run and an effect may leave what a run can be: nothing is below zero, and no share above one.
  const auto possible = [&](const std::optional<double>& value) {
    return value ? std::optional(std::clamp(*value, 0.0, name == "ettr" ? 1.0 : HUGE_VAL)) : std::nullopt;
  };
  out.p5 = possible(quantiles.p5);
  out.p50 = possible(quantiles.p50);
  out.p95 = possible(quantiles.p95);
  return out;
}

void add_finish(std::span<const double> all, const FinishEffects& effects, std::optional<double> by,
                Uncertainty& out) {
  if (effects.moved_by.empty()) {  // all is known
    out.finish = quantiles_of(all);
    out.percentiles = percentiles_of(all);
    if (!by) return;
    const ShareOfRuns share = share_by(all, *by);
    out.share_by_date = share.value();
    out.share_ci95 = share.ci95;
    return;
  }
  const UncertainFinish finish = moved(all, effects, {});
  out.finish = quantiles_of(finish.runs);
  out.percentiles = percentiles_of(finish.runs);
  if (!by || finish.runs.empty()) return;
  const UncertainFinish::Share share = finish.share_by(*by);
  const auto draws = static_cast<std::uint32_t>(effects.moved_by.size());
  out.share_by_date = share.value;
  if (share.variance > 0) {
    const double half_width = normal_quantile(0.975) * std::sqrt(share.variance);
    out.share_ci95 =
        Interval{std::max(0.0, share.value - half_width), std::min(1.0, share.value + half_width)};
  } else {  // all of them or none
    out.share_ci95 = clopper_pearson(share.value > 0.5 ? draws : 0, draws, 0.95);
  }
}

}  // namespace

CarriedUncertainty carry_uncertainty(Experiment& experiment, const PointSource& source,
                                     const Settings& settings, PointNumber point, std::uint32_t replicas,
                                     const UncertaintyOptions& options) {
  const std::vector<Unknown> unknowns = unknowns_of(experiment.point(point).scenario, source.resolved());
  Drawn drawn{&experiment, point, {}, replicas, std::min(options.replicas_each, replicas)};
  for (std::uint32_t draw = 0; draw < options.draws && !unknowns.empty(); ++draw) {
    Settings changed = settings;
    for (Setting& each : draw_of(unknowns, options.seed, draw)) changed.push_back(std::move(each));
    LoadedPoint loaded = source.point(changed);
    if (!loaded.point) {
      for (Problem& problem : loaded.problems) problem = as_problem_of(std::move(problem), "study.uncertain");
      return {.result = std::nullopt, .finish = {}, .problems = std::move(loaded.problems)};
    }
    drawn.points.push_back(experiment.add(std::move(loaded.point)));
  }
  std::vector<Experiment::Want> wants = {{point, replicas}};
  for (const PointNumber each : drawn.points) wants.push_back({each, drawn.each});
  if (!experiment.ensure(wants)) return {};

  Uncertainty out;
  out.draws = static_cast<std::uint32_t>(drawn.points.size());
  out.replicas_each = drawn.each;
  for (const Unknown& unknown : unknowns) out.parameters.push_back(unknown.shown);
  for (const std::string& metric : options.metrics)
    if (experiment.metric_exists(point, metric)) out.metrics.push_back(metric_of(drawn, metric));
  FinishEffects finish;
  if (experiment.point(point).scenario.world.job.steps > 0) {
    const std::vector<double> all = finish_times(experiment, point, replicas);
    std::vector<std::vector<double>> draws;
    for (const PointNumber each : drawn.points) draws.push_back(finish_times(experiment, each, drawn.each));
    finish = finish_effects(all, draws);
    add_finish(all, finish, options.finish_by, out);
  }
  return {.result = std::move(out), .finish = std::move(finish), .problems = {}};
}

}  // namespace gauntlet
