#include "study/uncertainty/uncertainty.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "models/step/step.hpp"
#include "study/finish/finish.hpp"
#include "study/point_statistics.hpp"
#include "study/uncertainty/two_level.hpp"
#include "study/uncertainty/variance_shares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint32_t kFewestOfDraw = 8, kPartOfDraw = 25;

/// Draws, their points and what was asked for: the workspace of one call.
struct Drawn {
  Experiment* experiment;
  PointNumber base;
  std::vector<PointNumber> points;  // by draw
  std::uint32_t replicas;           // of the base, as given
  std::uint32_t each;               // of a draw

  /// Of the base, under the faults of all draws.
  std::uint32_t paired() const { return each * static_cast<std::uint32_t>(points.size()); }
};

UncertainMetric metric_of(const Drawn& drawn, const std::string& name) {
  const Experiment& experiment = *drawn.experiment;
  UncertainMetric out;
  out.name = name;
  const std::vector<Fraction> given =
      experiment.values(drawn.base, name, std::max(drawn.replicas, drawn.paired()));
  out.known = statistics_of(experiment, drawn.base, name, 0, drawn.replicas);
  if (!out.known.mean) return out;
  if (drawn.points.empty()) {  // all is known
    out.mean = out.known.mean;
    out.ci95 = out.known.ci95;
    out.run_variance = out.known.sd.value_or(0) * out.known.sd.value_or(0);
    out.p5 = out.known.p5;
    out.p50 = out.known.p50;
    out.p95 = out.known.p95;
    out.gave_up = out.known.gave_up;
    out.runs = out.known.n;
    return out;
  }
  std::vector<std::vector<Fraction>> runs;
  for (const PointNumber point : drawn.points) runs.push_back(experiment.values(point, name, drawn.each));
  const auto mean = two_level_mean(std::span(given).first(drawn.paired()), runs);
  if (!mean) return out;
  out.mean = mean->mean;
  out.ci95 = mean->ci95();
  out.parameter_variance = mean->parameter_variance;
  out.run_variance = mean->run_variance;
  std::vector<double> own;
  for (const PointNumber point : drawn.points) {
    const std::vector<double> of_draw = run_values(experiment, point, name, drawn.each);
    own.insert(own.end(), of_draw.begin(), of_draw.end());
  }
  const FinishTimes runs_between = percentiles_of(own);
  out.gave_up = static_cast<std::uint64_t>(std::count(own.begin(), own.end(), kInfinity));
  out.runs = own.size();
  out.p5 = runs_between.at(5);
  out.p50 = runs_between.at(50);
  out.p95 = runs_between.at(95);
  return out;
}

/// Of runs that all complete the work.
std::vector<Fraction> completed(std::span<const double> finish) {
  std::vector<Fraction> out;
  for (const double at : finish) out.push_back({at, 1});
  return out;
}

bool some_never(std::span<const double> finish) {
  return std::any_of(finish.begin(), finish.end(), [](double at) { return std::isinf(at); });
}

/// Over draws 0, 1, ... of the study.
DrawnUnknown over_draws(const Unknown& unknown, std::span<const std::vector<double>> values,
                        std::size_t number) {
  constexpr int kParts = 4000;  // of the distribution, alike in probability
  DrawnUnknown out;
  double mean = 0, squares = 0;
  for (int i = 0; i < kParts; ++i) {
    const double value = unknown.used_at((i + 0.5) / kParts);
    mean += value / kParts;
    squares += value * value / kParts;
  }
  out.variance = std::max(0.0, squares - mean * mean);
  for (const std::vector<double>& draw : values) out.values.push_back(draw[number]);
  return out;
}

std::optional<VarianceShares> finish_shares(std::span<const double> given,
                                            std::span<const std::vector<double>> draws,
                                            std::span<const Unknown> unknowns, std::uint64_t seed) {
  // A run that never finishes is later than all others: then the variance is not a number.
  if (some_never(given) || std::any_of(draws.begin(), draws.end(), some_never)) return std::nullopt;
  std::vector<std::vector<Fraction>> drawn;
  std::vector<std::vector<double>> values;
  for (std::uint32_t draw = 0; draw < draws.size(); ++draw) {
    drawn.push_back(completed(draws[draw]));
    values.push_back(values_of(unknowns, seed, draw));
  }
  std::vector<DrawnUnknown> over;
  for (std::size_t i = 0; i < unknowns.size(); ++i) over.push_back(over_draws(unknowns[i], values, i));
  return variance_shares(completed(given), drawn, over);
}

/// Of all steps, without faults.
double healthy_seconds(const Experiment& experiment, PointNumber point) {
  const World& world = experiment.point(point).scenario.world;
  return static_cast<double>(world.job.steps) * to_seconds(StepModel(world).healthy());
}

/// `draws`: the finishing times of each.
void add_finish(std::span<const double> given, std::span<const std::vector<double>> draws,
                std::optional<double> by, Uncertainty& out) {
  std::vector<double> runs, shares;
  for (const std::vector<double>& draw : draws) {
    runs.insert(runs.end(), draw.begin(), draw.end());
    if (by) shares.push_back(share_by(draw, *by).value().value_or(0));
  }
  const std::span<const double> all = draws.empty() ? given : std::span<const double>(runs);
  out.known_never = static_cast<std::uint64_t>(std::count(given.begin(), given.end(), kInfinity));
  out.finish = draws.empty() ? percentiles_with_intervals(all) : percentiles_of_draws(draws);
  if (!by || all.empty()) return;
  if (draws.empty()) {  // all is known
    const ShareOfRuns share = share_by(given, *by);
    out.share_by_date = share.value();
    out.share_ci95 = share.ci95;
  } else {
    const ClusteredShare share = clustered_share(shares, runs.size());
    out.share_by_date = share.value;
    out.share_ci95 = share.ci95;
  }
}

/// The finish of a scenario with work to do is that of the finish table: a run that never completes the work is later than all
/// others, also where its window ended it.
void count_never(Uncertainty& out) {
  for (UncertainMetric& metric : out.metrics) {
    if (metric.name != "wall_time_s" || out.finish.never + out.known_never == 0) continue;
    metric.p5 = out.finish.at(5);
    metric.p50 = out.finish.at(50);
    metric.p95 = out.finish.at(95);
    if (out.finish.never == 0) continue;
    metric.mean.reset();
    metric.ci95.reset();
  }
}

/// Names what was drawn: where study.uncertain says nothing of the step time, a user did not write it.
Problem problem_of_draw(Problem problem, const Settings& drawn) {
  for (const Setting& each : drawn)
    if (each.path == kStepTimeFactor)
      problem.why += fmt::format(" (in a draw with {} = {:.6s})", each.path, each.value);
  return as_problem_of(std::move(problem), "study.uncertain");
}

/// What was drawn, of a point whose replicas are all there.
CarriedUncertainty result_of(const Drawn& drawn, std::span<const Unknown> unknowns,
                             const UncertaintyOptions& options) {
  const Experiment& experiment = *drawn.experiment;
  Uncertainty out;
  out.draws = static_cast<std::uint32_t>(drawn.points.size());
  out.replicas_each = drawn.each;
  for (const Unknown& unknown : unknowns) out.parameters.push_back(unknown.shown);
  out.step_error = drawn_step_error(experiment.point(drawn.base).scenario);
  for (const std::string& metric : options.metrics)
    if (experiment.metric_exists(drawn.base, metric)) out.metrics.push_back(metric_of(drawn, metric));
  FinishEffects finish;
  std::vector<std::vector<double>> draws;
  if (experiment.point(drawn.base).scenario.world.job.steps > 0) {
    for (const PointNumber each : drawn.points) draws.push_back(finish_times(experiment, each, drawn.each));
    const double healthy = healthy_seconds(experiment, drawn.base);
    std::vector<double> longer;
    for (const PointNumber each : drawn.points) longer.push_back(healthy_seconds(experiment, each) - healthy);
    const std::vector<double> given = finish_times(experiment, drawn.base, drawn.paired());
    finish = finish_effects(given, draws, longer, healthy);
    if (!draws.empty()) out.finish_variance = finish_shares(given, draws, unknowns, options.seed);
    add_finish(finish_times(experiment, drawn.base, drawn.replicas), draws, options.finish_by, out);
    count_never(out);
  }
  return {.result = std::move(out),
          .finish = std::move(finish),
          .problems = {},
          .finish_times = std::move(draws)};
}

}  // namespace

std::uint32_t replicas_of_draw(std::uint32_t replicas) {
  return std::max(kFewestOfDraw, replicas / kPartOfDraw);
}

CarriedUncertainty carry_uncertainty(Experiment& experiment, const PointSource& source,
                                     const Settings& settings, PointNumber point, std::uint32_t replicas,
                                     const UncertaintyOptions& options) {
  expect(options.draws >= 2 && options.replicas_each >= 2, "a scatter is of two at least");
  const std::vector<Unknown> unknowns = unknowns_of(experiment.point(point).scenario, source.resolved());
  Drawn drawn{&experiment, point, {}, replicas, options.replicas_each};
  for (std::uint32_t draw = 0; draw < options.draws && !unknowns.empty(); ++draw) {
    Settings changed = settings;
    for (Setting& each : draw_of(unknowns, options.seed, draw)) changed.push_back(std::move(each));
    LoadedPoint loaded = source.point(changed);
    if (!loaded.point) {
      for (Problem& problem : loaded.problems) problem = problem_of_draw(std::move(problem), changed);
      return {.result = std::nullopt, .finish = {}, .problems = std::move(loaded.problems)};
    }
    drawn.points.push_back(
        experiment.add(under_other_faults(*loaded.point, draw * drawn.each, fmt::format("draw {}", draw))));
  }
  std::vector<Experiment::Want> wants = {{point, std::max(replicas, drawn.paired())}};
  for (const PointNumber each : drawn.points) wants.push_back({each, drawn.each});
  if (!experiment.ensure(wants)) return {};
  return result_of(drawn, unknowns, options);
}

}  // namespace gauntlet
