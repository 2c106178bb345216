// How many replicas each point runs, so that its intervals are as narrow as was asked for.
//
// Points run in rounds: first kFirstReplicas, then more of each that misses the precision, as many as its interval says that it takes,
// twice as many at most. An interval that was watched while it grew covers a little less than 95%; with 32 values or more the loss
// is small.
#pragma once

#include "study/experiment.hpp"
#include "study/precision.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace gauntlet {

/// Enough for Student's t to hold roughly, and for a first guess of the spread.
inline constexpr std::uint32_t kFirstReplicas = 32;

struct ReplicaTerms {
  std::uint32_t replicas = 1;  // of every point; with a precision the most
  std::vector<PrecisionGoal> precision = {};
  std::optional<std::uint64_t> budget = {};  // replicas in all, at least one a point
};

struct Rounds {
  std::vector<std::uint32_t> replicas;  // by point
  std::vector<bool> precise;            // by point: reached the precision, or none was asked for
  /// By point: it has no interval of a metric that was asked for, after so many replicas that more were not tried.
  std::vector<bool> without_interval;
  bool complete = false;      // everything that was asked for was run
  bool budget_spent = false;  // ... and more would have been, had the budget allowed it
};

/// How many times as wide as asked for the interval of so many replicas is; infinite without one.
double times_too_wide(const Experiment& experiment, PointNumber point, std::uint32_t replicas,
                      const PrecisionGoal& goal);

/// Runs the replicas that the terms ask for. Decisions depend on the values of the replicas that were asked for, not on
/// what the store has beside them.
Rounds run_rounds(Experiment& experiment, std::span<const PointNumber> points, const ReplicaTerms& terms);

}  // namespace gauntlet
