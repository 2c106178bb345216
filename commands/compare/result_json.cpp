#include "commands/compare/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <array>

namespace gauntlet {
namespace {

constexpr std::array<const char*, 3> kBases = {"run", "work", "day"};  // by Basis

Json scenario_json(const ComparedScenario& scenario) {
  Json json;
  json["label"] = scenario.label;
  json["command"] = scenario.command;
  json["settings"] = settings_json(scenario.settings);
  json["facts"] = facts_json(scenario.summary.facts);
  json["metrics"] = metrics_json(scenario.summary);
  return json;
}

void add_difference(Json& json, const char* key, const PairedDifference& of) {
  json[key] = json_of(of.difference);
  json["se"] = json_of(of.se);
  json["ci95"] = json_of(of.ci95);
  json["variance_factor"] = json_of(of.variance_factor);
}

Json metric_json(const MetricDifference& metric) {
  Json json;
  json["first"] = metric.in_first ? json_of(metric.first) : Json(nullptr);
  json["second"] = metric.in_second ? json_of(metric.second) : Json(nullptr);
  if (!metric.in_first) json["only_in"] = "second";
  if (!metric.in_second) json["only_in"] = "first";
  add_difference(json, "difference", metric.of);
  return json;
}

Json loss_json(const LossDifference& loss) {
  Json json;
  if (!loss.cause.empty()) json["cause"] = loss.cause;
  if (loss.phase) json["phase"] = kPhaseNames[static_cast<std::size_t>(*loss.phase)];
  json["first_s"] = loss.first;
  json["second_s"] = loss.second;
  add_difference(json, "difference_s", loss.of);
  return json;
}

Json incident_json(const std::optional<Incident>& incident) {
  if (!incident) return nullptr;
  Json json;
  json["opened_s"] = to_seconds(incident->opened - kStart);
  json["closed_s"] = to_seconds(incident->closed - kStart);
  json["component"] = incident->component.index;
  Json& lost = json["lost_s"] = Json::object();
  for (std::size_t phase = 0; phase < kPhases; ++phase)
    if (incident->lost[phase] > Duration::zero())
      lost[kPhaseNames[phase]] = to_seconds(incident->lost[phase]);
  return json;
}

Json comparison_json(const Comparison& comparison) {
  Json json;
  json["scenario"] = comparison.second;
  json["against"] = 0;
  json["basis"] = kBases[static_cast<std::size_t>(comparison.basis)];
  json["lost"] = loss_json(comparison.lost);
  Json& metrics = json["metrics"] = Json::object();
  for (const MetricDifference& metric : comparison.metrics) metrics[metric.name] = metric_json(metric);
  Json& because = json["because"] = Json::array();
  for (const LossDifference& loss : comparison.because) because.push_back(loss_json(loss));
  if (!comparison.shown) return json;
  json["replica"] = comparison.shown->replica;
  Json& incidents = json["incidents"] = Json::array();
  for (const IncidentPair& pair : comparison.shown->incidents) {
    Json each;
    each["cause"] = pair.cause;
    each["first"] = incident_json(pair.first);
    each["second"] = incident_json(pair.second);
    incidents.push_back(std::move(each));
  }
  return json;
}

}  // namespace

std::string to_json(const CompareResult& result) {
  Json json;
  json["command"] = "compare";
  if (!result.scenarios.empty()) json["version"] = result.scenarios.front().summary.facts.version;
  json["seed"] = result.seed;
  json["replicas"] = result.replicas;
  if (result.interrupted) json["interrupted"] = true;
  json["interval"] = kIntervalCovers;
  Json& scenarios = json["scenarios"] = Json::array();
  for (const ComparedScenario& scenario : result.scenarios) scenarios.push_back(scenario_json(scenario));
  Json& differences = json["differences"] = Json::array();
  for (const Comparison& comparison : result.comparisons) differences.push_back(comparison_json(comparison));
  json["notes"] = result.notes;
  return document(json);
}

}  // namespace gauntlet
