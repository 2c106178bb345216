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

}  // namespace

double CoverageResult::allowed() const {
  constexpr double kErrors = 4, kLeast = 0.02;
  return std::max(kLeast, kErrors * std::sqrt(kNominal * (1 - kNominal) / repetitions));
}

bool CoverageResult::holds(const CoveredMetric& metric) const {
  const double off = metric.controlled.share() - kNominal;
  return !is_judged(metric) || (off >= -allowed() && (off <= allowed() || metric.is_share));
}

CoverageResult::Judged CoverageResult::judged() const {
  Judged out;
  for (const CoveredScenario& scenario : scenarios)
    for (const CoveredMetric& metric : scenario.metrics) {
      out.metrics += is_judged(metric) ? 1 : 0;
      out.outside += holds(metric) ? 0 : 1;
    }
  return out;
}

bool CoverageResult::holds() const {
  constexpr std::size_t kOneIn = 50;
  const Judged of = judged();
  return of.metrics > 0 && kOneIn * of.outside <= of.metrics &&
         std::ranges::all_of(scenarios, [](const CoveredScenario& each) { return each.problem.empty(); });
}

std::string to_json(const CoverageResult& result) {
  Json json;
  json["version"] = result.version;
  json["seed"] = result.seed;
  json["replicas"] = result.replicas;
  json["repetitions"] = result.repetitions;
  if (result.interrupted) json["interrupted"] = true;
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
  }
  return document(json);
}

}  // namespace gauntlet
