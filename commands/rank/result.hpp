// What each improvement of a scenario gains.
#pragma once

#include "study/summary/lever_ranking.hpp"
#include "study/summary/summary.hpp"

#include <string>

namespace gauntlet {

struct RankResult {
  Summary as_given;  // of the scenario, over the replicas that every lever has
  LeverRanking ranking;
  std::string try_next;  // a command that looks closer at the most valuable lever; empty where there is none
};

/// {"command": "rank", "scenario", "version", "seed", "interval", "facts": {}, "as_given": metrics, "ranking": {...}};
/// "interrupted": true after "interval" where replicas are missing. What is unknown is null.
std::string to_json(const RankResult& result);

}  // namespace gauntlet
