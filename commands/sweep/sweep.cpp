#include "commands/sweep/sweep.hpp"

#include "config/toml/nearest.hpp"
#include "core/contract.hpp"
#include "core/math/special.hpp"
#include "study/option_problem.hpp"
#include "study/paired.hpp"
#include "study/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace gauntlet {
namespace {

/// The values that points have, in order, and where each point stands.
SweptField field_of(const Axis& axis, std::size_t number, std::span<const Settings> points,
                    std::vector<SweptPoint>& swept) {
  SweptField field{.path = axis.path,
                   .kind = axis.kind,
                   .logarithmic = axis.range && axis.range->logarithmic,
                   .values = axis.range ? std::vector<std::string>{} : axis.values,
                   .numbers = {},
                   .ranged = axis.range.has_value()};
  std::map<std::string, std::size_t> place;
  for (const std::string& value : field.values) place.emplace(value, 0);
  for (const Settings& point : points)
    if (place.emplace(point[number].value, 0).second) field.values.push_back(point[number].value);
  if (axis.kind != FieldKind::text) {
    const auto number_in = [&](const std::string& value) { return *number_of(value, axis.kind); };
    std::ranges::stable_sort(field.values, {}, number_in);
    for (const std::string& value : field.values) field.numbers.push_back(number_in(value));
  }
  for (std::size_t i = 0; i < field.values.size(); ++i) place[field.values[i]] = i;
  for (std::size_t i = 0; i < points.size(); ++i) swept[i].at.push_back(place[points[i][number].value]);
  return field;
}

/// Cost counts where points differ in what they hold, a price says what that costs, and any of them trains at all.
void choose_objective(SweepResult& result) {
  const ScenarioFacts& first = result.points.front().summary.facts;
  const bool differ = std::ranges::any_of(result.points, [&](const SweptPoint& point) {
    const ScenarioFacts& facts = point.summary.facts;
    return facts.gpus_held != first.gpus_held || facts.gpus != first.gpus || facts.gpu_hour != first.gpu_hour;
  });
  const bool priced = std::ranges::all_of(result.points, [&](const SweptPoint& point) {
    const ScenarioFacts& facts = point.summary.facts;
    return facts.has_price() && facts.currency == first.currency;
  });
  constexpr const char* kCost = "cost.per_effective_gpu_hour";
  const bool trains = std::ranges::any_of(
      result.points, [](const SweptPoint& point) { return point.summary.mean(kCost).has_value(); });
  if (!differ || !priced || !trains) return;
  result.objective = kCost;
  result.smallest = true;
}

std::optional<double> objective_of(const SweepResult& result, const SweptPoint& point) {
  const std::optional<double> mean = point.summary.mean(result.objective);
  return mean && result.smallest ? std::optional(-*mean) : mean;
}

/// The point with the highest objective but `except`; the first of equals. One whose runs all gave up comes after all others.
std::optional<std::size_t> highest(const SweepResult& result, std::optional<std::size_t> except) {
  const auto before = [&](const SweptPoint& one, const SweptPoint& other) {
    if (one.all_gave_up() != other.all_gave_up()) return other.all_gave_up();
    return *objective_of(result, one) > *objective_of(result, other);
  };
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const std::optional<double> value = objective_of(result, result.points[i]);
    if (!value || i == except) continue;
    if (!best || before(result.points[i], result.points[*best])) best = i;
  }
  return best;
}

/// Whether the difference, zero or more, may be chance at that level (one-sided).
bool may_be_chance(const PairedDifference& behind, std::uint32_t pairs, double level) {
  if (!behind.difference || !behind.se || !behind.ci95) return true;  // too few replicas to tell
  if (*behind.se <= 0) return *behind.difference <= 0;
  return *behind.difference <= student_t_quantile(1 - level, pairs - 1.0) * *behind.se;
}

std::optional<double> median(std::vector<double> values) {
  if (values.empty()) return std::nullopt;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

/// How far every other point is behind the best.
void hold_against_best(const Experiment& experiment, std::span<const PointNumber> numbers,
                       SweepResult& result) {
  result.best = highest(result, std::nullopt);
  if (!result.best) return;
  result.second = highest(result, result.best);
  const std::uint32_t of_best = result.points[*result.best].summary.replicas;
  const std::vector<Fraction> best = experiment.values(numbers[*result.best], result.objective, of_best);
  const double level = 0.05 / static_cast<double>(std::max<std::size_t>(result.points.size() - 1, 1));
  std::vector<double> factors;
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    if (i == *result.best) continue;
    SweptPoint& point = result.points[i];
    const std::uint32_t pairs = std::min(of_best, point.summary.replicas);
    const std::vector<Fraction> values = experiment.values(numbers[i], result.objective, pairs);
    const std::span of_both = std::span(best).first(pairs);
    const RunValue value = run_value_of(result.objective);
    const PointNumber numbered = numbers[*result.best];
    point.behind = result.smallest
                       ? paired_difference(of_both, values, value,
                                           experiment.paired_controls(numbered, numbers[i], pairs))
                       : paired_difference(values, of_both, value,
                                           experiment.paired_controls(numbers[i], numbered, pairs));
    const bool never = point.all_gave_up() && !result.points[*result.best].all_gave_up();
    point.may_be_best = !never && may_be_chance(*point.behind, pairs, level);
    if (point.behind->variance_factor) factors.push_back(*point.behind->variance_factor);
  }
  result.variance_factor = median(std::move(factors));
}

std::vector<Problem> named(std::vector<Problem> problems, const Settings& point) {
  for (Problem& problem : problems) {
    problem = as_problem_of(std::move(problem), "--vary");
    const bool says_all = point.size() == 1 && problem.what.starts_with(point.front().path);
    if (!says_all) problem.why += fmt::format(" (at the point {})", settings_text(point));
  }
  return problems;
}

bool refuses_a_word(std::span<const Problem> problems, std::span<const Axis> axes) {
  return std::ranges::any_of(axes, [&](const Axis& axis) {
    return axis.kind == FieldKind::text && std::ranges::any_of(problems, [&](const Problem& problem) {
             return problem.what.starts_with(axis.path);
           });
  });
}

}  // namespace

ParsedBudget parse_budget(std::string_view text) {
  std::uint64_t budget = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), budget);
  if (error != std::errc{} || end != text.data() + text.size() || budget == 0)
    return {{},
            option_problem("--budget", fmt::format("\"{}\"", text), "is not a number of replicas",
                           "write --budget 20000")};
  return {budget, {}};
}

LoadedPoints load_points(const PointSource& source, SweepPlan& plan) {
  LoadedPoints loaded;
  std::vector<Settings> allowed;
  for (const Settings& each : plan.points) {
    LoadedPoint point = source.point(each);
    if (point.point) {
      loaded.points.push_back(std::move(point.point));
      allowed.push_back(each);
      continue;
    }
    std::vector<Problem> problems = named(std::move(point.problems), each);
    if (refuses_a_word(problems, plan.axes)) return {.points = {}, .problems = std::move(problems)};
    RefusedPoint& refused = plan.refused.emplace_back();
    for (const Setting& setting : each) refused.settings.emplace_back(setting.path, setting.value);
    refused.why = problems.front().text();
    if (loaded.problems.empty()) loaded.problems = std::move(problems);
  }
  if (!allowed.empty()) loaded.problems.clear();
  plan.points = std::move(allowed);
  return loaded;
}

SweepResult sweep(Experiment& experiment, const SweepPlan& plan,
                  std::span<const std::shared_ptr<const Point>> points, const ReplicaTerms& terms) {
  expect(points.size() == plan.points.size() && !points.empty(), "every point was loaded");
  SweepResult result;
  const ScenarioFacts& facts = points.front()->facts;
  result.scenario = facts.name;
  result.question = facts.question;
  result.version = facts.version;
  result.seed = facts.seed;
  result.design = plan.design;
  result.precision = terms.precision;
  result.asked_points = static_cast<std::uint32_t>(points.size());
  result.refused = plan.refused;
  result.notes = plan.notes;
  if (plan.design == "grid")
    for (const Axis& axis : plan.axes)
      if (std::string note = left_out_text(axis); !note.empty()) result.notes.push_back(std::move(note));

  std::vector<PointNumber> numbers;
  for (const std::shared_ptr<const Point>& point : points) numbers.push_back(experiment.add(point));
  const Rounds rounds = run_rounds(experiment, numbers, terms);
  result.interrupted = !rounds.complete;
  result.budget_spent = rounds.budget_spent;

  std::vector<Settings> settings;
  std::vector<PointNumber> run;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (rounds.replicas[i] == 0) continue;
    SweptPoint point;
    point.summary = experiment.summary(numbers[i], rounds.replicas[i]);
    point.precise = rounds.precise[i];
    point.without_interval = rounds.without_interval[i];
    result.points.push_back(std::move(point));
    settings.push_back(plan.points[i]);
    run.push_back(numbers[i]);
  }
  if (result.points.empty()) return result;
  for (std::size_t i = 0; i < plan.axes.size(); ++i)
    result.fields.push_back(field_of(plan.axes[i], i, settings, result.points));
  choose_objective(result);
  hold_against_best(experiment, run, result);
  return result;
}

}  // namespace gauntlet
