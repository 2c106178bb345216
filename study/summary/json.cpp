#include "study/summary/json.hpp"

#include "core/contract.hpp"
#include "core/time.hpp"

#include <nlohmann/json.hpp>

#include <string_view>

namespace gauntlet {
namespace {

std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Json json_of(std::optional<double> value) { return value ? Json(*value) : Json(nullptr); }

Json json_of(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json(nullptr);
}

Json json_of(const Statistics& of) {
  Json json;
  json["mean"] = json_of(of.mean);
  json["sd"] = json_of(of.sd);
  json["se"] = json_of(of.se);
  json["ci95"] = json_of(of.ci95);
  json["p1"] = json_of(of.p1);
  json["p5"] = json_of(of.p5);
  json["p50"] = json_of(of.p50);
  json["p95"] = json_of(of.p95);
  json["p99"] = json_of(of.p99);
  json["worst_5_mean"] = json_of(of.worst_5_mean);
  json["n"] = of.n;
  if (of.gave_up > 0) json["gave_up"] = of.gave_up;
  return json;
}

Json metrics_json(const Summary& summary) {
  Json json = Json::object();
  for (const NamedStatistics& metric : summary.metrics) json[metric.name] = json_of(metric.statistics);
  return json;
}

Json facts_json(const ScenarioFacts& facts) {
  Json json;
  json["name"] = facts.name;
  json["gpus"] = facts.gpus;
  json["gpus_held"] = facts.gpus_held;
  json["hosts"] = facts.hosts;
  json["spares"] = facts.spares;
  json["window_s"] = to_seconds(facts.window);
  json["steps"] = facts.steps;
  json["currency"] = facts.currency;
  return json;
}

Json settings_json(std::span<const std::pair<std::string, std::string>> settings) {
  Json json = Json::object();
  for (const auto& [path, value] : settings) json[path] = value;
  return json;
}

std::string document(const Json& json) { return text_of(json) + "\n"; }

std::string document(const Json& json, const std::string& key, std::size_t elements,
                     const std::function<Json(std::size_t)>& element) {
  std::string text = document(json);
  // No string of JSON has a line end, so only a member of the document itself begins a line like this.
  const std::string before = "\n  " + Json(key).dump() + ": ", null = "null";
  const std::size_t at = text.find(before + null);
  expect(at != std::string::npos, "an array takes the place of a null");
  const std::string rest = text.substr(at + before.size() + null.size());
  text.resize(at + before.size());
  text += '[';
  for (std::size_t i = 0; i < elements; ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    for (const char c : text_of(element(i))) {
      text += c;
      if (c == '\n') text += "    ";
    }
  }
  text += (elements > 0 ? "\n  ]" : "]") + rest;
  return text;
}

Json detection_json(const Summary& summary) {
  constexpr std::string_view kOfDetection = "detection.", kByKind = "detection.by_kind.";
  constexpr std::string_view kNames[] = {"handled_share",
                                         "detection_and_diagnosis_s",
                                         "detection.recall",
                                         "detection.precision",
                                         "evictions.precision",
                                         "false_alarms",
                                         "false_alerts",
                                         "missed_faults",
                                         "missed_cost_s",
                                         "wrong_evictions_cost_s",
                                         "detection_latency_p50_s",
                                         "detection_latency_p95_s"};
  Json json;
  for (const std::string_view name : kNames) {
    const std::string_view key = name.starts_with(kOfDetection) ? name.substr(kOfDetection.size()) : name;
    json[std::string(key)] = json_of(summary.mean(name));
  }
  Json& kinds = json["by_kind"] = Json::object();
  for (const std::string& fault : summary.facts.faults) {
    Json& kind = kinds[fault] = Json::object();
    const std::string prefix = std::string(kByKind) + fault + ".";
    for (const NamedStatistics& metric : summary.metrics)
      if (metric.name.starts_with(prefix) && metric.name.find('.', prefix.size()) == std::string::npos)
        kind[metric.name.substr(prefix.size())] = json_of(metric.statistics.mean);
  }
  return json;
}

}  // namespace gauntlet
