#include "commands/plan/sensitivity.hpp"

#include "study/finish/finish.hpp"
#include "study/paired.hpp"
#include "study/uncertainty/uncertainty.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::uint32_t kFirstReplicas = 32;

double lost_to(const Experiment& experiment, PointNumber point, const Unknown& unknown,
               std::uint32_t replicas) {
  constexpr std::string_view kBefore = "faults.", kBehind = ".rate.count";
  const std::string fault =
      unknown.path.substr(kBefore.size(), unknown.path.size() - kBefore.size() - kBehind.size());
  double lost = 0;
  for (const Fraction& each : experiment.values(point, "lost_s.by_cause." + fault, replicas))
    lost += each.numerator;
  return lost;
}

/// Every marked field, and the rates that cost the most.
std::vector<Unknown> chosen(const Experiment& experiment, PointNumber point, std::vector<Unknown> unknowns,
                            const SensitivityOptions& options) {
  std::vector<std::pair<double, Unknown>> rates;
  std::vector<Unknown> all;
  for (Unknown& each : unknowns) {
    if (each.shape != Unknown::Shape::posterior) {
      all.push_back(std::move(each));
    } else {
      const double lost = lost_to(experiment, point, each, options.replicas);
      rates.emplace_back(lost, std::move(each));
    }
  }
  std::stable_sort(rates.begin(), rates.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(rates.size(), options.rates); ++i)
    all.push_back(std::move(rates[i].second));
  return all;
}

struct Ends {
  PointNumber low = 0, high = 0;
};

Change change(const Experiment& experiment, PointNumber from, PointNumber to, std::uint32_t replicas,
              std::uint64_t seed) {
  if (experiment.point(from).facts.steps > 0)
    return quantile_change(finish_times(experiment, from, replicas), finish_times(experiment, to, replicas),
                           0.5, seed);
  const PairedDifference difference =
      paired_difference(experiment.values(from, "ettr", replicas), experiment.values(to, "ettr", replicas),
                        RunValue::amount, experiment.paired_controls(from, to, replicas));
  return {difference.difference, difference.ci95};
}

/// Whether each change is known to a character of the chart: its widest bar has at most ten to each side (report/table.hpp).
bool are_known_well(const std::vector<Sensitivity>& bars) {
  constexpr double kCharacter = 1 / 20.0;
  double widest = 0;
  for (const Sensitivity& bar : bars) widest = std::max(widest, bar.swing());
  const auto is_known = [&](const Change& change) {
    return change.ci95 && change.ci95->high - change.ci95->low <= 2 * kCharacter * widest;
  };
  return std::ranges::all_of(
      bars, [&](const Sensitivity& bar) { return is_known(bar.at_low) && is_known(bar.at_high); });
}

}  // namespace

Sensitivities sensitivity(Experiment& experiment, const PointSource& source, const Settings& settings,
                          PointNumber point, const SensitivityOptions& options) {
  if (!experiment.ensure(std::vector<PointNumber>{point}, options.replicas)) return {};
  const std::vector<Unknown> unknowns =
      chosen(experiment, point, unknowns_of(experiment.point(point).scenario, source.resolved()), options);
  std::vector<Ends> ends;
  std::vector<Unknown> moved;
  std::vector<PointNumber> points;
  const bool default_error = drawn_step_error(experiment.point(point).scenario).has_value();
  for (const Unknown& unknown : unknowns) {
    PointNumber numbers[2];
    bool left_out = false;
    const bool posterior = unknown.shape == Unknown::Shape::posterior;
    for (int end = 0; end < 2; ++end) {
      Settings changed = settings;
      const std::string& written = end == 0 ? unknown.shown.low : unknown.shown.high;
      const double p = end == 0 ? 0.05 : 0.95;
      const bool exact = posterior || (default_error && unknown.used_at(p) > unknown.value_at(p));
      changed.push_back({unknown.path, exact ? unknown.text_at(p) : written});
      LoadedPoint loaded = source.point(changed);
      // The user did not write this parameter: a value that the scenario cannot have does not stop the plan.
      left_out = !loaded.point && default_error && unknown.path == kStepTimeFactor;
      if (left_out) break;
      if (!loaded.point) {
        for (Problem& problem : loaded.problems)
          problem = as_problem_of(std::move(problem), "study.uncertain");
        return {.tornado = std::nullopt, .problems = std::move(loaded.problems)};
      }
      points.push_back(numbers[end] = experiment.add(std::move(loaded.point)));
    }
    if (left_out) continue;
    ends.push_back({numbers[0], numbers[1]});
    moved.push_back(unknown);
  }
  const auto bars = [&](std::uint32_t replicas) {
    std::vector<Sensitivity> out;
    for (std::size_t i = 0; i < ends.size(); ++i)
      out.push_back({.path = moved[i].path,
                     .low = moved[i].shown.low,
                     .high = moved[i].shown.high,
                     .at_low = change(experiment, point, ends[i].low, replicas, options.seed),
                     .at_high = change(experiment, point, ends[i].high, replicas, options.seed),
                     .cut = moved[i].shown.cut});
    return out;
  };
  Tornado tornado{.target = experiment.point(point).facts.steps > 0 ? "finish.p50" : "ettr",
                  .replicas = std::min(kFirstReplicas, options.replicas),
                  .bars = {}};
  for (;; tornado.replicas = std::min(2 * tornado.replicas, options.replicas)) {
    if (!experiment.ensure(points, tornado.replicas)) return {};
    tornado.bars = bars(tornado.replicas);
    if (tornado.replicas == options.replicas || are_known_well(tornado.bars)) break;
  }
  std::stable_sort(tornado.bars.begin(), tornado.bars.end(),
                   [](const Sensitivity& a, const Sensitivity& b) { return a.swing() > b.swing(); });
  return {.tornado = std::move(tornado), .problems = {}};
}

}  // namespace gauntlet
