// When runs finish their work, as studies report it.
#pragma once

#include "study/summary/summary.hpp"

#include <cstdint>
#include <optional>

namespace gauntlet {

/// Runs that were done in time, of so many.
struct ShareOfRuns {
  std::uint32_t hits = 0, runs = 0;
  std::optional<Interval>
      ci95;  // of the share: Clopper and Pearson's, exact for a count; absent without runs

  std::optional<double> value() const {
    return runs > 0 ? std::optional(static_cast<double>(hits) / runs) : std::nullopt;
  }
};

/// Seconds after the start by which that share of the runs is done; absent where so many never are.
struct FinishTimes {
  std::optional<double> p5, p50, p95;
};

/// What a change of the scenario does to a figure, over the same faults.
struct Change {
  std::optional<double> by;      // absent where one of the two is unknown
  std::optional<Interval> ci95;  // of paired replicas, Monte Carlo only
};

}  // namespace gauntlet
