#include "study/rounds.hpp"

#include "core/contract.hpp"
#include "core/infinity.hpp"
#include "study/point_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gauntlet {
namespace {

constexpr std::uint32_t kMostWithoutInterval = 1024;

// How many each point may have of what is left for them all.
std::uint32_t share(std::uint64_t left, std::size_t points) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(left / points, kMostReplicas));
}

double widest_of(const Experiment& experiment, PointNumber point, std::uint32_t replicas,
                 std::span<const PrecisionGoal> goals) {
  double widest = 0;
  for (const PrecisionGoal& goal : goals)
    widest = std::max(widest, times_too_wide(experiment, point, replicas, goal));
  return widest;
}

/// A width goes with the root of the number. A tenth more, as the spread is a guess; a quarter more at least, so that rounds end.
std::uint32_t more_replicas(std::uint32_t replicas, double too_wide, std::uint32_t most) {
  constexpr double kReserve = 1.1, kLeastGrowth = 1.25, kMostGrowth = 2;
  const double growth = std::clamp(too_wide * too_wide * kReserve, kLeastGrowth, kMostGrowth);
  return static_cast<std::uint32_t>(std::min<double>(std::ceil(replicas * growth), most));
}

bool run(Experiment& experiment, std::span<const PointNumber> points, Rounds& rounds) {
  std::vector<Experiment::Want> wants;
  for (std::size_t i = 0; i < points.size(); ++i) wants.push_back({points[i], rounds.replicas[i]});
  if (experiment.ensure(wants)) return true;
  for (std::size_t i = 0; i < points.size(); ++i)
    rounds.replicas[i] = std::min(rounds.replicas[i], experiment.replicas(points[i]));
  return false;
}

/// More replicas of every point that misses the precision, as far as the budget goes; false where none may grow.
bool grow(Rounds& rounds, std::span<const double> too_wide, const ReplicaTerms& terms) {
  std::vector<std::size_t> growing;
  std::uint64_t wanted = 0;
  for (std::size_t i = 0; i < rounds.replicas.size(); ++i) {
    if (rounds.precise[i] || rounds.replicas[i] >= terms.replicas) continue;
    // Without an interval so far, such as of what never happens, nobody knows how many it takes.
    if (too_wide[i] == kInfinity && rounds.replicas[i] >= kMostWithoutInterval) {
      rounds.without_interval[i] = true;
      continue;
    }
    growing.push_back(i);
    wanted += more_replicas(rounds.replicas[i], too_wide[i], terms.replicas) - rounds.replicas[i];
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
    const std::uint32_t more =
        more_replicas(rounds.replicas[i], too_wide[i], terms.replicas) - rounds.replicas[i];
    rounds.replicas[i] += rounds.budget_spent ? std::min(more, most) : more;
  }
  return true;
}

}  // namespace

double times_too_wide(const Experiment& experiment, PointNumber point, std::uint32_t replicas,
                      const PrecisionGoal& goal) {
  if (!experiment.metric_exists(point, goal.metric)) return kInfinity;
  const Statistics of = statistics_of(experiment, point, goal.metric, 0, replicas);
  return of.ci95 ? longer_side(*of.ci95, *of.mean) / goal.half_width : kInfinity;
}

Rounds run_rounds(Experiment& experiment, std::span<const PointNumber> points, const ReplicaTerms& terms) {
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
  rounds.without_interval.assign(points.size(), false);
  std::vector<double> too_wide(points.size(), 0);
  do {
    rounds.complete = run(experiment, points, rounds);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (rounds.precise[i]) continue;
      too_wide[i] = widest_of(experiment, points[i], rounds.replicas[i], terms.precision);
      rounds.precise[i] = too_wide[i] <= 1;
    }
  } while (rounds.complete && !rounds.budget_spent && grow(rounds, too_wide, terms));
  return rounds;
}

}  // namespace gauntlet
