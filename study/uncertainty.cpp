#include "study/uncertainty.hpp"

#include "core/math/special.hpp"
#include "study/finish.hpp"
#include "study/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace gauntlet {
namespace {

Fraction sum_of(std::span<const Fraction> values) {
  Fraction sum{.numerator = 0, .denominator = 0};
  for (const Fraction& each : values) {
    sum.numerator += each.numerator;
    sum.denominator += each.denominator;
  }
  return sum;
}

/// What the draws do to a metric: one effect a draw, and how much of their variance is chance.
struct Effects {
  std::vector<double> each;
  double mean = 0;
  double variance = 0;          // of the parameters alone, not below zero
  double variance_of_mean = 0;  // what is left to chance in `mean`
};

/// The effect of one draw, from paired replicas, and the variance of that effect by chance.
struct Effect {
  double effect = 0, variance = 0;
  std::vector<double> residuals;  // what each replica adds to it, of mean zero
};

Effect effect_of(std::span<const Fraction> base, std::span<const Fraction> drawn) {
  const auto before = sum_of(base).value(), after = sum_of(drawn).value();
  if (!before || !after) return {};
  const double n = static_cast<double>(base.size());
  const double base_size = sum_of(base).denominator / n, drawn_size = sum_of(drawn).denominator / n;
  Effect out{.effect = *after - *before, .variance = 0, .residuals = {}};
  double squares = 0;
  for (std::size_t i = 0; i < base.size(); ++i) {
    const double a = (base[i].numerator - *before * base[i].denominator) / base_size;
    const double b = (drawn[i].numerator - *after * drawn[i].denominator) / drawn_size;
    squares += (b - a) * (b - a);
    out.residuals.push_back(b - a);
  }
  if (n > 1) out.variance = squares / (n - 1) / n;
  return out;
}

/// The replicas are the same for every draw, so what chance leaves in the mean effect does not become less with more draws:
/// the variance of that mean over replicas.
double common_variance(std::span<const Effect> effects) {
  std::vector<double> of_replica;
  for (const Effect& each : effects) {
    of_replica.resize(std::max(of_replica.size(), each.residuals.size()));
    for (std::size_t i = 0; i < each.residuals.size(); ++i)
      of_replica[i] += each.residuals[i] / static_cast<double>(effects.size());
  }
  const double n = static_cast<double>(of_replica.size());
  double squares = 0;
  for (const double each : of_replica) squares += each * each;
  return n > 1 ? squares / (n - 1) / n : 0;
}

Effects summed_up(std::span<const Effect> effects) {
  Effects out;
  const double n = static_cast<double>(effects.size());
  double by_chance = 0, squares = 0;
  for (const Effect& each : effects) {
    out.each.push_back(each.effect);
    out.mean += each.effect / n;
    by_chance += each.variance / n;
  }
  for (const double each : out.each) squares += (each - out.mean) * (each - out.mean);
  const double total = n > 1 ? squares / (n - 1) : 0;
  out.variance = std::max(0.0, total - by_chance);
  out.variance_of_mean = (n > 0 ? total / n : 0) + common_variance(effects);
  // What chance added to the scatter of the effects is taken out of it again.
  const double shrink = total > 0 ? std::sqrt(out.variance / total) : 0;
  for (double& each : out.each) each = out.mean + shrink * (each - out.mean);
  return out;
}

/// Enough runs to be combined with every draw; more would change no digit that is shown.
constexpr std::size_t kMostCombined = 2000;

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
  std::vector<Effect> effects;
  for (const PointNumber point : drawn.points)
    effects.push_back(effect_of(first, drawn.values(point, name, drawn.each)));
  const Effects effect = summed_up(effects);
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

/// What each draw does to the finishing time, from the runs that finish with it and without it.
FinishEffects finish_effects(const Drawn& drawn, std::span<const double> all) {
  std::vector<Effect> effects;
  FinishEffects out;
  for (const PointNumber point : drawn.points) {
    const std::vector<double> times = finish_times(*drawn.experiment, point, drawn.each);
    std::vector<Fraction> before, after;
    double never = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      never += std::isinf(times[i]) ? 1.0 / static_cast<double>(times.size()) : 0;
      if (std::isinf(times[i]) || std::isinf(all[i])) continue;
      before.push_back({all[i], 1});
      after.push_back({times[i], 1});
    }
    effects.push_back(effect_of(before, after));
    out.never.push_back(never);
  }
  out.moved_by = summed_up(effects).each;
  return out;
}

void add_finish(std::span<const double> all, const FinishEffects& effects, std::optional<double> by,
                Uncertainty& out) {
  const UncertainFinish finish = moved(all, effects, 1);
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

UncertainFinish moved(std::span<const double> finish, const FinishEffects& effects, double scale) {
  const std::size_t combined = std::min(finish.size(), kMostCombined);
  std::vector<double> finished;
  for (std::size_t i = 0; i < combined; ++i)
    if (std::isfinite(finish[i])) finished.push_back(finish[i]);
  UncertainFinish out;
  out.draws = effects.moved_by.size();
  out.runs.reserve(combined * out.draws);
  for (std::size_t draw = 0; draw < out.draws; ++draw) {
    const auto never =
        static_cast<std::size_t>(std::nearbyint(effects.never[draw] * static_cast<double>(combined)));
    for (std::size_t i = 0; i < combined; ++i)
      out.runs.push_back(i < never || finished.empty()
                             ? std::numeric_limits<double>::infinity()
                             : finished[i % finished.size()] + scale * effects.moved_by[draw]);
  }
  return out;
}

UncertainFinish::Share UncertainFinish::share_by(double by) const {
  if (runs.empty()) return {};
  const std::size_t each = runs.size() / draws;
  std::vector<double> of_draw(draws), of_run(each);  // counts, then shares
  double hits = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!(runs[i] <= by)) continue;
    ++hits;
    ++of_draw[i / each];
    ++of_run[i % each];
  }
  for (double& share : of_draw) share /= static_cast<double>(each);
  for (double& share : of_run) share /= static_cast<double>(draws);
  const auto squared_error = [](std::span<const double> shares, double mean) {
    double squares = 0;
    for (const double share : shares) squares += (share - mean) * (share - mean);
    const double n = static_cast<double>(shares.size());
    return n > 1 ? squares / (n - 1) / n : 0;
  };
  Share share;
  share.value = hits / static_cast<double>(runs.size());
  share.variance = squared_error(of_draw, share.value) + squared_error(of_run, share.value);
  return share;
}

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
    finish = finish_effects(drawn, all);
    add_finish(all, finish, options.finish_by, out);
  }
  return {.result = std::move(out), .finish = std::move(finish), .problems = {}};
}

}  // namespace gauntlet
