#include "commands/validate/coverage/result.hpp"

#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

constexpr double kNominal = 0.95;

Json json_of(const IntervalCount& of) {
  return {{"given", of.given},
          {"covered", of.covered},
          {"mean_width", of.given > 0 ? Json(of.width / of.given) : Json(nullptr)}};
}

double allowed_of(std::uint32_t repetitions) {
  constexpr double kErrors = 4, kLeast = 0.02;
  return std::max(kLeast, kErrors * std::sqrt(kNominal * (1 - kNominal) / repetitions));
}

bool is_nominal(const IntervalCount& count, double allowed, bool at_least) {
  const double off = count.share() - kNominal;
  return off >= -allowed && (off <= allowed || at_least);
}

template <class Covered>
CoverageResult::Judged judged_of(const CoverageResult& result,
                                 std::vector<Covered> CoveredScenario::*covered) {
  CoverageResult::Judged out;
  for (const CoveredScenario& scenario : result.scenarios)
    for (const Covered& each : scenario.*covered) {
      out.metrics += result.is_judged(each) ? 1 : 0;
      out.outside += result.holds(each) ? 0 : 1;
    }
  return out;
}

}  // namespace

void IntervalCount::add(const std::optional<Interval>& interval, double value) {
  if (!interval) return;
  ++given;
  width += interval->high - interval->low;
  // A metric that the controls explain wholly is exact, except for rounding.
  const double rounding = kRelativeRounding * std::abs(value);
  if (interval->low <= value + rounding && value - rounding <= interval->high) ++covered;
}

std::string problems_text(std::span<const Problem> problems) {
  std::string why;
  for (const Problem& problem : problems) why += (why.empty() ? "" : "; ") + problem.text();
  return why;
}

double CoverageResult::allowed() const { return allowed_of(repetitions); }

double CoverageResult::allowed_with_uncertainty() const { return allowed_of(uncertain.repetitions); }

bool CoverageResult::holds(const CoveredMetric& metric) const {
  return !is_judged(metric) || is_nominal(metric.controlled, allowed(), metric.is_share);
}

bool CoverageResult::holds(const CoveredFigure& figure) const {
  return !is_judged(figure) || is_nominal(figure.count, allowed_with_uncertainty(), figure.at_least);
}

CoverageResult::Judged CoverageResult::judged() const { return judged_of(*this, &CoveredScenario::metrics); }

CoverageResult::Judged CoverageResult::judged_with_uncertainty() const {
  return judged_of(*this, &CoveredScenario::with_uncertainty);
}

bool CoverageResult::holds() const {
  constexpr std::size_t kOneIn = 50;
  const Judged metrics = judged(), figures = judged_with_uncertainty();
  const bool some_uncertain = uncertain.repetitions >= kFewestJudged &&
                              std::ranges::any_of(scenarios, [](const CoveredScenario& each) {
                                return !each.with_uncertainty.empty();
                              });
  return metrics.metrics > 0 && kOneIn * metrics.outside <= metrics.metrics &&
         (figures.metrics > 0 || !some_uncertain) && kOneIn * figures.outside <= figures.metrics &&
         std::ranges::all_of(scenarios, [](const CoveredScenario& each) { return each.problem.empty(); });
}

std::string to_json(const CoverageResult& result) {
  Json json;
  json["version"] = result.version;
  json["seed"] = result.seed;
  json["replicas"] = result.replicas;
  json["repetitions"] = result.repetitions;
  if (result.interrupted) json["interrupted"] = true;
  json["uncertain"] = {{"repetitions", result.uncertain.repetitions},
                       {"draws", result.uncertain.draws},
                       {"replicas_each", result.uncertain.replicas_each},
                       {"true_replicas", result.uncertain.true_replicas}};
  json["holds"] = result.holds();
  Json& scenarios = json["scenarios"] = Json::array();
  for (const CoveredScenario& scenario : result.scenarios) {
    Json& of = scenarios.emplace_back(Json::object());
    of["name"] = scenario.name;
    if (!scenario.problem.empty()) of["problem"] = scenario.problem;
    Json& metrics = of["metrics"] = Json::object();
    for (const CoveredMetric& metric : scenario.metrics)
      metrics[metric.name] = {{"value", metric.value},
                              {"skewness", metric.skewness},
                              {"judged", result.is_judged(metric)},
                              {"controlled", json_of(metric.controlled)},
                              {"plain", json_of(metric.plain)}};
    if (scenario.with_uncertainty.empty()) continue;
    Json& figures = of["with_uncertainty"] = Json::object();
    for (const CoveredFigure& figure : scenario.with_uncertainty) {
      Json& one = figures[figure.name] = json_of(figure.count);
      one["judged"] = result.is_judged(figure);
      if (figure.value) one["value"] = *figure.value;
    }
  }
  return document(json);
}

}  // namespace gauntlet
