#include "commands/validate/oracles/result.hpp"

#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace gauntlet {
namespace {

const char* name_of(PolicyJudge judge) {
  switch (judge) {
    case PolicyJudge::z:
      return "z";
    case PolicyJudge::relative:
      return "relative";
    case PolicyJudge::absolute:
      return "absolute";
    case PolicyJudge::none:
      return "none";
  }
  return "";
}

}  // namespace

std::optional<double> PolicyCheck::off() const {
  if (!measured) return std::nullopt;
  const double difference = *measured - expected;
  switch (bound.judge) {
    case PolicyJudge::z:
      return error && *error > 0 ? std::optional(difference / *error) : std::nullopt;
    case PolicyJudge::relative:
    case PolicyJudge::none:
      return expected != 0 ? std::optional(difference / expected) : std::nullopt;
    case PolicyJudge::absolute:
      return difference;
  }
  return std::nullopt;
}

bool PolicyCheck::judged() const {
  return !measured || (bound.judge != PolicyJudge::none && std::isfinite(bound.limit));
}

bool PolicyCheck::holds() const {
  const auto distance = off();
  if (!distance || !judged()) return false;
  return bound.judge == PolicyJudge::z ? std::abs(*distance) < bound.limit
                                       : std::abs(*distance) <= bound.limit;
}

bool PolicyValidation::holds() const {
  return !interrupted && std::ranges::any_of(checks, &PolicyCheck::judged) &&
         std::ranges::none_of(checks, &PolicyCheck::fails);
}

std::string to_json(const PolicyValidation& result) {
  Json json;
  json["command"] = "validate policies";
  json["version"] = result.version;
  json["seed"] = result.seed;
  json["quick"] = result.quick;
  json["interrupted"] = result.interrupted;
  json["holds"] = result.holds();
  json["checks"] = Json::array();
  for (const PolicyCheck& check : result.checks) {
    Json each;
    each["subject"] = check.subject;
    each["conventions"] = check.conventions;
    each["figure"] = check.figure;
    each["unit"] = check.unit;
    each["expected"] = check.expected;
    each["source"] = check.source;
    each["published"] = json_of(check.published);
    each["replicas"] = check.replicas;
    each["measured"] = json_of(check.measured);
    each["standard_error"] = json_of(check.error);
    each["judge"] = name_of(check.bound.judge);
    each["off"] = json_of(check.off());
    each["limit"] = check.bound.limit;
    each["holds"] = check.judged() ? Json(check.holds()) : Json(nullptr);
    if (!check.problem.empty()) each["problem"] = check.problem;
    json["checks"].push_back(std::move(each));
  }
  return document(json);
}

}  // namespace gauntlet
