#include "commands/rank/result.hpp"
#include "study/summary/json.hpp"

#include <nlohmann/json.hpp>

namespace gauntlet {

std::string to_json(const RankResult& result) {
  const ScenarioFacts& facts = result.as_given.facts;
  Json json;
  json["command"] = "rank";
  json["scenario"] = facts.name;
  json["version"] = facts.version;
  json["seed"] = facts.seed;
  json["interval"] = kIntervalCovers;
  if (result.ranking.interrupted) json["interrupted"] = true;
  json["facts"] = facts_json(facts);
  json["as_given"] = metrics_json(result.as_given);
  json["ranking"] = json_of(result.ranking);
  return document(json);
}

}  // namespace gauntlet
