#include "commands/sweep/result.hpp"
#include "study/summary/fingerprint_text.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {
namespace {

Json settings_of(const SweepResult& result, const SweptPoint& point) {
  Json json = Json::object();
  for (std::size_t i = 0; i < result.fields.size(); ++i)
    json[result.fields[i].path] = result.fields[i].values[point.at[i]];
  return json;
}

Json behind_json(const std::optional<PairedDifference>& behind) {
  if (!behind) return nullptr;
  Json json;
  json["difference"] = json_of(behind->difference);
  json["se"] = json_of(behind->se);
  json["ci95"] = json_of(behind->ci95);
  json["variance_factor"] = json_of(behind->variance_factor);
  return json;
}

Json point_json(const SweepResult& result, const SweptPoint& point) {
  Json json;
  json["settings"] = settings_of(result, point);
  json["replicas"] = point.summary.replicas;
  json["fingerprint"] = fingerprint_text(point.summary.fingerprint);
  if (!result.precision.empty()) json["precise"] = point.precise;
  json["may_be_best"] = point.may_be_best;
  json["behind_best"] = behind_json(point.behind);
  json["metrics"] = metrics_json(point.summary);
  return json;
}

Json best_json(const SweepResult& result) {
  if (!result.best) return nullptr;
  const SweptPoint& best = result.points[*result.best];
  const Statistics* value = best.summary.find(result.objective);
  Json json;
  json["metric"] = result.objective;
  json["is"] = result.smallest ? "lowest" : "highest";
  json["point"] = *result.best;
  json["settings"] = settings_of(result, best);
  json["mean"] = json_of(value ? value->mean : std::nullopt);
  json["ci95"] = json_of(value ? value->ci95 : std::nullopt);
  Json& rivals = json["not_distinguishable"] = Json::array();
  for (std::size_t i = 0; i < result.points.size(); ++i)
    if (i != *result.best && result.points[i].may_be_best)
      rivals.push_back(settings_of(result, result.points[i]));
  json["variance_factor"] = json_of(result.variance_factor);
  return json;
}

}  // namespace

std::string to_json(const SweepResult& result) {
  Json json;
  json["command"] = "sweep";
  json["scenario"] = result.scenario;
  json["version"] = result.version;
  json["seed"] = result.seed;
  json["currency"] = currency_of(result);
  json["design"] = result.design;
  json["interval"] = kIntervalCovers;
  if (result.interrupted) json["interrupted"] = true;
  Json& fields = json["fields"] = Json::array();
  for (const SweptField& field : result.fields)
    fields.push_back({{"path", field.path}, {"values", field.values}});
  Json& precision = json["precision"] = Json::object();
  for (const PrecisionGoal& goal : result.precision) precision[goal.metric] = goal.half_width;
  json["points"] = nullptr;
  json["best"] = best_json(result);
  for (const RefusedPoint& point : result.refused) {
    Json& refused = json["refused"].emplace_back();
    for (const auto& [path, value] : point.settings) refused["settings"][path] = value;
    refused["why"] = point.why;
  }
  json["notes"] = result.notes;
  return document(json, "points", result.points.size(),
                  [&](std::size_t i) { return point_json(result, result.points[i]); });
}

}  // namespace gauntlet
