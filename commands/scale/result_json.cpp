#include "commands/scale/result.hpp"
#include "study/summary/fingerprint_text.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {
namespace {

Json best_json(const std::optional<BestInterval>& best) {
  if (!best) return nullptr;
  Json json;
  json["value"] = best->seconds;
  json["ci95"] = json_of(best->ci95);
  json["every_step"] = best->every_step;
  return json;
}

Json size_json(const ScaledSize& size) {
  Json json;
  json["gpus"] = size.summary.facts.gpus;
  json["own"] = size.own;
  json["settings"] = settings_json(size.settings);
  json["facts"] = facts_json(size.summary.facts);
  json["replicas"] = size.summary.replicas;
  json["fingerprint"] = fingerprint_text(size.summary.fingerprint);
  json["step_s"] = to_seconds(size.step);
  json["checkpoint_stall_s"] = to_seconds(size.checkpoint_stall);
  json["best_interval_s"] = best_json(size.best_interval);
  json["metrics"] = metrics_json(size.summary);
  return json;
}

}  // namespace

std::string to_json(const ScaleResult& result) {
  Json json;
  json["command"] = "scale";
  json["scenario"] = result.scenario;
  json["version"] = result.version;
  json["seed"] = result.seed;
  json["interval"] = kIntervalCovers;
  if (result.interrupted) json["interrupted"] = true;
  json["batch"] = result.keep_batch ? "kept" : "scaled";
  Json& rounded = json["rounded"] = Json::array();
  for (const RoundedSize& each : result.rounded)
    rounded.push_back({{"asked", each.asked}, {"taken", each.taken}});
  json["best_interval_formula"] = "M (1 + W(-exp(-1 - C / M))), M = mttf_s, C = checkpoint_stall_s";
  Json& sizes = json["sizes"] = Json::array();
  for (const ScaledSize& size : result.sizes) sizes.push_back(size_json(size));
  return document(json);
}

}  // namespace gauntlet
