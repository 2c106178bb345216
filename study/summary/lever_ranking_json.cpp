#include "study/summary/lever_ranking.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string_view>

namespace gauntlet {
namespace {

Json gain_json(const Gain& of) {
  Json json;
  json["by"] = json_of(of.by);
  json["ci95"] = json_of(of.ci95);
  return json;
}

std::string_view effect_name(LeverEffect of) {
  switch (of) {
    case LeverEffect::unclear:
      return "unclear";
    case LeverEffect::gain:
      return "gain";
    case LeverEffect::loss:
      return "loss";
    case LeverEffect::unmeasured:
      break;
  }
  return "unmeasured";
}

/// Levers of a ranking, by their positions.
Json names_json(const std::vector<std::size_t>& positions, const LeverRanking& ranking) {
  Json json = Json::array();
  for (const std::size_t position : positions) {
    Json each;
    each["path"] = ranking.levers[position].path;
    each["change"] = ranking.levers[position].change;
    json.push_back(std::move(each));
  }
  return json;
}

Json lever_json(const RankedLever& of, const LeverRanking& ranking) {
  Json json;
  json["path"] = of.path;
  json["change"] = of.change;
  json["settings"] = settings_json(of.settings);
  json["replicas"] = of.replicas;
  json["time_s"] = gain_json(of.gains.time_s);
  json["tokens"] = gain_json(of.gains.tokens);
  json["cost"] = gain_json(of.gains.cost);
  json["goodput"] = gain_json(of.gains.goodput);
  json["effect"] = effect_name(of.effect);
  json["not_told_from"] = names_json(of.not_told_from, ranking);
  return json;
}

}  // namespace

const RankedLever* LeverRanking::best() const {
  const auto gains = [](const RankedLever& lever) {
    return lever.gains.goodput.ci95 && lever.gains.goodput.ci95->low > 0;
  };
  const auto first = std::ranges::find_if(levers, gains);
  return first == levers.end() ? nullptr : &*first;
}

Json json_of(const LeverRanking& of) {
  Json json;
  json["work_tokens"] = of.work_tokens;
  json["wall_s"] = of.wall_s;
  json["cost"] = json_of(of.cost);
  json["currency"] = of.currency;
  json["replicas"] = of.replicas;
  json["most_replicas"] = of.most_replicas;
  json["looks"] = of.looks;
  json["claimed"] = of.claimed;
  json["certain"] = of.certain;
  json["unplaced"] = names_json(of.unplaced, of);
  json["levers"] = Json::array();
  for (const RankedLever& lever : of.levers) json["levers"].push_back(lever_json(lever, of));
  json["without_effect"] = Json::array();
  for (const RankedLever& lever : of.without_effect) json["without_effect"].push_back(lever_json(lever, of));
  json["untried"] = Json::array();
  for (const UntriedLever& lever : of.untried) {
    Json each;
    each["path"] = lever.path;
    each["change"] = lever.change;
    each["why"] = lever.why;
    json["untried"].push_back(std::move(each));
  }
  return json;
}

}  // namespace gauntlet
