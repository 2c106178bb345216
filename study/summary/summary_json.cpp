#include "study/summary/summary_json.hpp"

#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <utility>

namespace gauntlet {
namespace {

/// The kinds of faults whose counts correct the means, whether the work that stops took does, and what that is worth.
Json controls_json(const Summary& summary) {
  Json kinds = Json::array();
  bool work = false;
  for (const std::uint32_t control : summary.controls) {
    const std::vector<std::uint32_t>& of = summary.facts.controls[control];
    work = work || of.empty();
    if (of.empty()) continue;
    Json& together = kinds.emplace_back(Json::array());
    for (const std::uint32_t kind : of) together.push_back(summary.facts.faults[kind]);
  }
  Json json{{"kinds", std::move(kinds)}, {"work", work}};
  const Statistics* ettr = summary.find("ettr");
  json["plain_replicas"] = json_of(ettr != nullptr ? plain_replicas(summary, *ettr) : std::nullopt);
  return json;
}

std::optional<double> number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  if (value.is_null()) return std::nullopt;
  return value.get<double>();
}

Statistics statistics_from(const Json& json) {
  Statistics out;
  out.n = json.at("n").get<std::uint64_t>();
  out.mean = number(json, "mean");
  out.sd = number(json, "sd");
  out.se = number(json, "se");
  if (const Json& interval = json.at("ci95"); !interval.is_null())
    out.ci95 = Interval{interval.at(0).get<double>(), interval.at(1).get<double>()};
  out.p1 = number(json, "p1");
  out.p5 = number(json, "p5");
  out.p50 = number(json, "p50");
  out.p95 = number(json, "p95");
  out.p99 = number(json, "p99");
  out.worst_5_mean = number(json, "worst_5_mean");
  if (json.contains("gave_up")) out.gave_up = json.at("gave_up").get<std::uint64_t>();
  return out;
}

std::uint64_t fingerprint_from(const std::string& text) {
  const auto value = fingerprint_of(text);
  if (!value) throw std::invalid_argument("\"fingerprint\" is not 16 hexadecimal digits");
  return *value;
}

std::uint32_t count_from(const Json& json) {
  const auto value = json.get<std::uint64_t>();
  if (!json.is_number_unsigned() || value > std::numeric_limits<std::uint32_t>::max())
    throw std::invalid_argument("a count is not a whole number of 32 bits");
  return static_cast<std::uint32_t>(value);
}

Summary summary_from(const Json& json) {
  constexpr std::string_view kFaults = "faults.";
  Summary out;
  out.facts.name = json.at("scenario").get<std::string>();
  out.facts.version = json.at("version").get<std::string>();
  out.facts.seed = json.at("seed").get<std::uint64_t>();
  if (json.contains("currency")) out.facts.currency = json.at("currency").get<std::string>();
  out.replicas = count_from(json.at("replicas"));
  if (json.contains("interrupted")) out.interrupted = json.at("interrupted").get<bool>();
  if (json.contains("replica")) out.only = count_from(json.at("replica"));
  out.fingerprint = fingerprint_from(json.at("fingerprint").get<std::string>());
  if (json.contains("clocks"))
    out.clocks = {.largest_error_seconds = json.at("clocks").at("largest_error_seconds").get<double>(),
                  .jumps = count_from(json.at("clocks").at("jumps"))};
  for (const auto& [name, statistics] : json.at("metrics").items()) {
    out.metrics.push_back({name, statistics_from(statistics)});
    if (name.starts_with(kFaults)) out.facts.faults.push_back(name.substr(kFaults.size()));
  }
  return out;
}

}  // namespace

std::string to_json(const Summary& summary) {
  Json json;
  json["scenario"] = summary.facts.name;
  json["version"] = summary.facts.version;
  json["seed"] = summary.facts.seed;
  json["currency"] = summary.facts.currency;
  json["replicas"] = summary.replicas;
  if (summary.interrupted) json["interrupted"] = true;
  if (summary.only) json["replica"] = *summary.only;
  json["fingerprint"] = fingerprint_text(summary.fingerprint);
  json["interval"] = kIntervalCovers;
  if (!summary.controls.empty()) json["controls"] = controls_json(summary);
  json["metrics"] = metrics_json(summary);
  json["detection"] = detection_json(summary);
  if (summary.clocks)
    json["clocks"] = {{"largest_error_seconds", summary.clocks->largest_error_seconds},
                      {"jumps", summary.clocks->jumps}};
  return document(json);
}

ParsedSummary summary_from_json(std::string_view text) {
  try {
    return {.summary = summary_from(Json::parse(text)), .why = {}};
  } catch (const std::exception& error) {  // nlohmann's, and ours above
    return {.summary = std::nullopt, .why = error.what()};
  }
}

}  // namespace gauntlet
