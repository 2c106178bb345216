#include "commands/rank/rank.hpp"

#include <algorithm>
#include <utility>

namespace gauntlet {

RankPlan plan_rank(const PointSource& source, const std::vector<std::string>& only,
                   std::optional<std::uint32_t> replicas, std::uint32_t claimed) {
  constexpr std::uint32_t kLooks = 6;  // each with twice as many replicas as the one before
  LoadedPoint loaded = source.point();
  if (!loaded.point)
    return {.base = nullptr, .levers = {}, .terms = {}, .problems = std::move(loaded.problems)};
  const Scenario& scenario = loaded.point->scenario;
  ChosenLevers chosen = chosen_levers(levers_of(scenario, source.resolved()), only, "--lever");
  const std::uint32_t first = std::min(kFirstOfLever, scenario.study.replicas);
  return {.base = std::move(loaded.point),
          .levers = std::move(chosen.levers),
          .terms = {.replicas = replicas.value_or(first), .looks = replicas ? 1 : kLooks, .claimed = claimed},
          .problems = std::move(chosen.problems)};
}

RankResult rank(Experiment& experiment, const PointSource& source, const RankPlan& plan) {
  const PointNumber base = experiment.add(plan.base);
  RankResult result;
  result.ranking = rank_levers(experiment, source, base, plan.levers, plan.terms);
  const std::uint32_t replicas =
      std::max(result.ranking.replicas, std::min(plan.terms.replicas, experiment.replicas(base)));
  if (replicas > 0) result.as_given = experiment.summary(base, replicas);
  result.as_given.facts = plan.base->facts;
  return result;
}

}  // namespace gauntlet
