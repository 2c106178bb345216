#include "commands/tune/tune.hpp"

#include "commands/tune/profile.hpp"
#include "commands/tune/search.hpp"
#include "policies/checkpoint/interval.hpp"
#include "study/statistics.hpp"
#include "study/vary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

/// Points of a scenario in an experiment. Keeps the metrics that a search looks at.
class ExperimentSource : public ReplicaSource {
 public:
  ExperimentSource(Experiment& experiment, const PointSource& source, const TuneTask& task)
      : experiment_(&experiment), source_(&source) {
    for (const TuneField& field : task.fields) paths_.push_back(field.path());
    metrics_ = {task.objective.metric, "ettr", "gave_up"};
    for (const Bound& bound : task.bounds) metrics_.push_back(bound.metric);
    std::sort(metrics_.begin(), metrics_.end());
    metrics_.erase(std::unique(metrics_.begin(), metrics_.end()), metrics_.end());
  }

  std::optional<std::uint32_t> add(const std::vector<std::string>& values) override {
    Settings settings;
    for (std::size_t i = 0; i < values.size(); ++i) settings.push_back({paths_[i], values[i]});
    LoadedPoint loaded = source_->point(settings);
    if (loaded.point) return experiment_->add(std::move(loaded.point));
    if (refusal_.empty() && !loaded.problems.empty())
      refusal_ = as_problem_of(loaded.problems.front(), "--over").text();
    return std::nullopt;
  }

  bool ensure(std::span<const std::uint32_t> points, std::uint32_t replicas) override {
    return experiment_->ensure(points, replicas);
  }

  std::span<const Fraction> values(std::uint32_t point, const std::string& metric,
                                   std::uint32_t count) override {
    std::map<std::string, std::vector<Fraction>>& kept = kept_[point];
    if (kept[metric].size() < count) read(point, count, kept);
    return std::span<const Fraction>(kept[metric]).first(count);
  }

  Controls controls(std::uint32_t point, std::uint32_t count) override {
    const auto [known, is_new] = controls_.try_emplace({point, count});
    // With more the values are known better than a surface through them follows.
    constexpr std::size_t kMost = 1;
    if (is_new) known->second = experiment_->controls(point, 0, count, kMost);
    return known->second;
  }

  const std::string& refusal() const { return refusal_; }

 private:
  void read(std::uint32_t point, std::uint32_t count,
            std::map<std::string, std::vector<Fraction>>& kept) const {
    std::vector<Metric> metrics = metrics_of(experiment_->point(point).facts);
    std::erase_if(metrics, [&](const Metric& metric) {
      return !std::binary_search(metrics_.begin(), metrics_.end(), metric.name);
    });
    for (const Metric& metric : metrics) kept[metric.name].clear();
    experiment_->visit(point, count, [&](std::uint32_t, const Figures& figures) {
      for (const Metric& metric : metrics) kept[metric.name].push_back(metric.of(figures));
    });
  }

  Experiment* experiment_;
  const PointSource* source_;
  std::vector<std::string> paths_, metrics_;
  std::map<std::uint32_t, std::map<std::string, std::vector<Fraction>>> kept_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Controls> controls_;  // by point and count
  std::string refusal_;
};

/// What a study of tune has on its table while it runs.
struct Tuning {
  Experiment* experiment;
  TuneTask task;
  ExperimentSource source;
  Trials trials;
  TuneSearch search;
  SearchOutcome outcome;
  bool stopped = false;

  Tuning(Experiment& of, const PointSource& from, TuneTask what, std::uint64_t seed)
      : experiment(&of),
        task(std::move(what)),
        source(of, from, task),
        trials(source, task.fields, task.objective, task.bounds, task.budget),
        search(trials, task.fields, seed) {}

  const Point& point_of(std::size_t trial) const { return experiment->point(*trials[trial].point); }
  /// How many replicas of a trial its figures are of: as many as of the others, where it has more.
  std::uint32_t reported(std::size_t trial) const {
    return std::min(trials[trial].replicas, outcome.compared());
  }
};

/// What the fitted curve says of the formulas' intervals, with less noise than the points themselves.
void add_regrets(const Tuning& of, TuneResult& result) {
  const SearchOutcome& outcome = of.outcome;
  if (!outcome.fit) return;
  for (AnalyticOptimum& optimum : result.analytic) {
    const Position& at = of.trials[optimum.point].at;
    if (!outcome.window.box.holds(at)) continue;
    const auto same =
        std::find_if(result.analytic.begin(), result.analytic.end(),
                     [&](const AnalyticOptimum& other) { return other.point == optimum.point; });
    if (&*same != &optimum) {
      optimum.excess = same->excess;
      optimum.regret = same->regret;
      continue;
    }
    optimum.excess = outcome.fit->excess(at);
    optimum.regret = outcome.fit->chance(at, at, kRedraws).regret;
  }
}

/// The formulas' intervals, run beside the best point as often as it was.
void add_analytic(Tuning& of, TuneResult& result) {
  const auto field = std::find_if(of.task.fields.begin(), of.task.fields.end(),
                                  [](const TuneField& each) { return each.path() == kIntervalPath; });
  if (field == of.task.fields.end()) return;
  const auto axis = static_cast<std::size_t>(field - of.task.fields.begin());
  const Trial best = of.trials[*of.outcome.best];
  const CheckpointConstants& checkpoint = of.point_of(*of.outcome.best).scenario.policies.checkpoint;
  const Duration cost = checkpoint.prior_cost, mtbf = checkpoint.prior_mtbf;
  if (cost <= Duration::zero() || mtbf >= kForever) return;
  result.checkpoint_cost_s = to_seconds(cost);
  result.mtbf_s = to_seconds(mtbf);
  const std::array<std::pair<const char*, Duration>, 3> all = {{{"Young", young_interval(cost, mtbf)},
                                                                {"Daly", daly_interval(cost, mtbf)},
                                                                {"exact", exact_interval(cost, mtbf)}}};
  std::vector<std::size_t> trials;
  for (const auto& [name, interval] : all) {
    if (interval <= Duration::zero()) continue;
    std::vector<std::string> values = best.values;
    values[axis] = field->rounded(to_seconds(interval));
    trials.push_back(of.trials.add(values));
    result.analytic.push_back({.name = name, .value = values[axis], .point = trials.back()});
  }
  add_regrets(of, result);
  for (std::uint32_t replicas = of.reported(*of.outcome.best); replicas >= kFewestForInterval;
       replicas /= 2) {
    const Trials::Run run = of.trials.ensure(trials, replicas);
    if (run == Trials::Run::stopped) of.stopped = true;
    if (run != Trials::Run::over_budget) return;
  }
}

Statistics statistics_of(const Tuning& of, std::size_t trial) {
  const std::string& metric = of.trials.objective().metric;
  const std::span<const Fraction> values = of.trials.values(trial, metric, of.reported(trial)),
                                  gave_up = of.trials.values(trial, "gave_up", of.reported(trial));
  MetricStatistics all;
  for (std::size_t i = 0; i < values.size(); ++i)
    all.add(values[i], gave_up[i].numerator > 0 ? Ending::gave_up : Ending::completed);
  return all.statistics(Worse::neither, run_value_of(metric), of.trials.controls(trial, of.reported(trial)));
}

/// `best_name`: what the point that is named is called.
TunedPoint tuned_point(const Tuning& of, std::size_t i, const std::string& best_name) {
  const Trial& trial = of.trials[i];
  TunedPoint out;
  out.values = trial.values;
  for (std::size_t axis = 0; axis < trial.values.size(); ++axis)
    out.numbers.push_back(number_of(trial.values[axis], of.task.fields[axis].range().kind).value_or(0));
  out.refused = !trial.point;
  out.dropped = trial.dropped;
  out.replicas = of.reported(i);
  if (i == of.outcome.today) out.name = "today";
  if (of.outcome.best && i == *of.outcome.best) out.name += (out.name.empty() ? "" : ", ") + best_name;
  if (trial.replicas == 0) return out;
  out.objective = statistics_of(of, i);
  out.meets = of.trials.meets(i);
  out.gave_up = of.trials.gave_up(i);
  out.gives_up_more = of.outcome.best && of.trials.gives_up_more(i, of.trials.gave_up(*of.outcome.best));
  for (const Bound& bound : of.task.bounds) out.figures.push_back(of.trials.figure(i, bound));
  if (of.outcome.best && i != *of.outcome.best)
    out.worse = of.trials.worse_by(*of.outcome.best, i, of.outcome.compared());
  return out;
}

TunedField tuned_field(const Tuning& of, std::size_t axis) {
  const TuneField& field = of.task.fields[axis];
  TunedField out;
  out.path = field.path();
  out.kind = field.range().kind;
  out.logarithmic = field.range().logarithmic;
  out.range = {.low = field.range().low_text, .high = field.range().high_text};
  out.range_given = field.given();
  out.today = field.today();
  if (!of.outcome.best) return out;
  out.best = of.trials[*of.outcome.best].values[axis];
  if (!field.whole() && axis < of.outcome.interval.size()) {
    const Interval& interval = of.outcome.interval[axis];
    out.interval = ValueSpan{.low = field.text_at(interval.low), .high = field.text_at(interval.high)};
  }
  describe_curve(of.trials, of.search, of.outcome, axis, out);
  if (out.alike && !out.whole) out.interval = out.alike;
  if (out.plateau || !out.matters) out.interval.reset();  // there is no optimum to be found
  return out;
}

void add_points(const Tuning& of, TuneResult& result) {
  const bool flat = std::ranges::any_of(result.fields, &TunedField::plateau);
  for (std::size_t i = 0; i < of.trials.size(); ++i)
    result.points.push_back(tuned_point(of, i, flat ? "recommended" : "best"));
  for (const AnalyticOptimum& optimum : result.analytic)
    result.points[optimum.point].formulas.push_back(optimum.name);
}

TuneResult result_of(Tuning& of, TuneResult result) {
  using End = TuneResult::End;
  const SearchOutcome& outcome = of.outcome;
  result.end = of.stopped || outcome.end == SearchOutcome::End::stopped ? End::interrupted
               : outcome.end == SearchOutcome::End::budget              ? End::budget
                                                                        : End::settled;
  result.metric = of.task.objective.metric;
  result.maximise = of.task.objective.maximise;
  for (const Bound& bound : of.task.bounds)
    result.bounds.push_back({.text = bound.text,
                             .metric = bound.metric,
                             .statistic = std::string(name_of(bound.statistic)),
                             .upper = bound.upper,
                             .limit = bound.limit});
  result.best = outcome.best;
  result.today = outcome.today;
  result.meets = outcome.meets;
  // Where it was interrupted, the replicas of the round that did not end are there, too.
  result.replicas = result.end == End::interrupted ? of.experiment->replicas() : of.trials.spent();
  result.common_replicas = outcome.common_replicas;
  result.budget = of.task.budget;
  result.lacked = outcome.lacked;
  result.refusal = of.source.refusal();
  for (std::size_t axis = 0; axis < of.task.fields.size(); ++axis)
    result.fields.push_back(tuned_field(of, axis));
  add_points(of, result);
  if (!outcome.best) return result;
  result.scale = of.trials.scale(*outcome.best);
  const bool has_curve = outcome.fit && !std::ranges::all_of(of.task.fields, &TuneField::whole);
  // That of whole numbers is the one of their rows.
  const bool measured =
      std::ranges::any_of(of.task.fields, &TuneField::whole) ? outcome.common_replicas > 0 : has_curve;
  if (measured && std::isfinite(outcome.regret)) result.regret = outcome.regret;
  if (has_curve) {
    result.window_points = static_cast<std::uint32_t>(outcome.window.trials.size());
    result.window_replicas = outcome.window.replicas;
  }
  result.summary = of.experiment->summary(*of.trials[*outcome.best].point, of.reported(*outcome.best));
  return result;
}

/// Within a window the cost depends only on the hosts that are held. So its minimum is at no host, whatever they achieve.
std::optional<Problem> problem_of_what_is_bought(const Objective& objective, const Point& base,
                                                 std::string_view option) {
  const bool bill = objective.metric == "cost" || objective.metric == "gpu_hours";
  if (!bill || objective.maximise || base.facts.window == Duration::zero() || base.facts.steps > 0) return {};
  const std::string work = "say how much: --set job.steps=1000000";
  return Problem{
      .file = std::string(option),
      .what = objective.metric,
      .why = "is the same whatever the job achieves, as the scenario has a window and no amount of work",
      .suggestion = base.facts.has_price() ? "minimize cost.per_effective_gpu_hour, or " + work : work};
}

std::optional<Problem> problem_of_no_price(std::string_view metric, const Point& base,
                                           std::string_view option) {
  if (!metric.starts_with("cost") || base.facts.has_price()) return {};
  return Problem{.file = std::string(option),
                 .what = std::string(metric),
                 .why = "has no value, as the scenario has no price",
                 .suggestion = "name one: --set 'cost.gpu_hour=\"2.5USD\"'; or take gpu_hours"};
}

/// A field that nothing reads would be found not to matter, which is true and misleads.
std::optional<Problem> problem_of_no_effect(const TuneField& field, const PointSource& source) {
  const LoadedPoint changed = source.point({{field.path(), field.text_at(field.low())}});
  for (const Problem& warning : changed.warnings)
    if (warning.what.starts_with(field.path()) && warning.why.starts_with("has no effect"))
      return Problem{
          .file = "--over", .what = field.path(), .why = warning.why, .suggestion = warning.suggestion};
  return std::nullopt;
}

}  // namespace

ParsedTune parse_tune(const TuneWords& words, const PointSource& source) {
  const LoadedPoint base = source.point();
  ParsedTune parsed;
  if (!base.point) return {.task = {}, .problems = base.problems};
  TuneTask task;
  ParsedFields fields = parse_tune_fields(words.over, source.resolved());
  parsed.problems = std::move(fields.problems);
  task.fields = std::move(fields.fields);
  for (const TuneField& field : task.fields)
    if (auto problem = problem_of_no_effect(field, source)) parsed.problems.push_back(std::move(*problem));
  const std::vector<std::string> metrics = metric_names(base.point->facts);
  if (!words.minimize.empty()) task.objective = {.metric = words.minimize, .maximise = false};
  if (!words.maximize.empty()) task.objective = {.metric = words.maximize, .maximise = true};
  const std::string_view option = words.minimize.empty() ? "--maximize" : "--minimize";
  std::optional<Problem> problem = problem_of_metric(task.objective.metric, metrics, option);
  if (!problem) problem = problem_of_no_price(task.objective.metric, *base.point, option);
  if (!problem) problem = problem_of_what_is_bought(task.objective, *base.point, option);
  if (problem) parsed.problems.push_back(std::move(*problem));
  for (const std::string& text : words.subject_to) {
    ParsedBound bound = parse_bound(text, metrics, base.point->facts.currency);
    if (bound.bound)
      if (auto problem = problem_of_no_price(bound.bound->metric, *base.point, "--subject-to"))
        bound.problem = std::move(problem);
    if (bound.bound && !bound.problem)
      task.bounds.push_back(std::move(*bound.bound));
    else
      parsed.problems.push_back(std::move(*bound.problem));
  }
  if (words.budget) task.budget = *words.budget;
  if (parsed.problems.empty()) parsed.task = std::move(task);
  return parsed;
}

TuneResult tune(Experiment& experiment, const PointSource& source, TuneTask task) {
  TuneResult result;
  const LoadedPoint base = source.point();
  const ScenarioFacts& facts = base.point->facts;
  result.scenario = facts.name;
  result.question = facts.question;
  result.version = facts.version;
  result.currency = facts.currency;
  result.seed = facts.seed;
  Tuning of(experiment, source, std::move(task), facts.seed);
  of.outcome = of.search.run();
  if (of.outcome.best && of.outcome.end != SearchOutcome::End::stopped) {
    of.stopped = !run_profiles(of.trials, of.search, of.outcome);
    if (!of.stopped) add_analytic(of, result);
  }
  return result_of(of, std::move(result));
}

}  // namespace gauntlet
