#include "commands/sweep/rounds.hpp"

#include "core/contract.hpp"
#include "study/point_statistics.hpp"

#include <algorithm>
#include <numeric>

namespace gauntlet {
namespace {

// How many each point may have of what is left for them all.
std::uint32_t share(std::uint64_t left, std::size_t points) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(left / points, kMostReplicas));
}

bool reaches(const Experiment& experiment, PointNumber point, std::uint32_t replicas,
             std::span<const PrecisionGoal> goals) {
  return std::all_of(goals.begin(), goals.end(), [&](const PrecisionGoal& goal) {
    if (!experiment.metric_exists(point, goal.metric)) return false;
    const Statistics of = statistics_of(experiment, point, goal.metric, 0, replicas);
    return of.ci95 && longer_side(*of.ci95, *of.mean) <= goal.half_width;
  });
}

bool run(Experiment& experiment, std::span<const PointNumber> points, Rounds& rounds) {
  std::vector<Experiment::Want> wants;
  for (std::size_t i = 0; i < points.size(); ++i) wants.push_back({points[i], rounds.replicas[i]});
  if (experiment.ensure(wants)) return true;
  for (std::size_t i = 0; i < points.size(); ++i)
    rounds.replicas[i] = std::min(rounds.replicas[i], experiment.replicas(points[i]));
  return false;
}

/// Twice the replicas of every point that misses the precision, as far as the budget goes; false where none may grow.
bool grow(Rounds& rounds, const SweepTerms& terms) {
  std::vector<std::size_t> growing;
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < rounds.replicas.size(); ++i) {
    if (rounds.precise[i] || rounds.replicas[i] >= terms.replicas) continue;
    growing.push_back(i);
    wanted += std::min(2 * rounds.replicas[i], terms.replicas) - rounds.replicas[i];
  }
  if (growing.empty()) return false;
  std::uint32_t most = terms.replicas;
  if (terms.budget) {
    const std::uint64_t used =
        std::accumulate(rounds.replicas.begin(), rounds.replicas.end(), std::uint64_t{0});
    const std::uint64_t left = *terms.budget - std::min(used, *terms.budget);
    rounds.budget_spent = wanted > left;
    if (rounds.budget_spent) most = share(left, growing.size());
    if (most == 0) return false;
  }
  for (const std::size_t i : growing) {
    const std::uint32_t more = std::min(rounds.replicas[i], terms.replicas - rounds.replicas[i]);
    rounds.replicas[i] += rounds.budget_spent ? std::min(more, most) : more;
  }
  return true;
}

}  // namespace

Rounds run_rounds(Experiment& experiment, std::span<const PointNumber> points, const SweepTerms& terms) {
  expect(!points.empty() && terms.replicas > 0, "there is something to run");
  expect(!terms.budget || *terms.budget >= points.size(), "the budget has a replica for every point");
  const bool with_precision = !terms.precision.empty();
  std::uint32_t first = with_precision ? std::min(kFirstReplicas, terms.replicas) : terms.replicas;
  Rounds rounds;
  if (terms.budget) {
    const std::uint32_t most = share(*terms.budget, points.size());
    rounds.budget_spent = most < first;
    first = std::min(first, most);
  }
  rounds.replicas.assign(points.size(), first);
  rounds.precise.assign(points.size(), !with_precision);
  do {
    rounds.complete = run(experiment, points, rounds);
    for (std::size_t i = 0; i < points.size(); ++i)
      if (!rounds.precise[i])
        rounds.precise[i] = reaches(experiment, points[i], rounds.replicas[i], terms.precision);
  } while (rounds.complete && !rounds.budget_spent && grow(rounds, terms));
  return rounds;
}

}  // namespace gauntlet
