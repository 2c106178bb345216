// When runs finish their work, as studies report it.
#pragma once

#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

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

/// When runs complete their work: seconds after the start by which 1%, 2%, ... 99% of them have.
struct FinishTimes {
  std::vector<double> percentiles;  // shorter than 99 where so many runs never complete it
  /// 95% intervals of the percentiles: absent where there are too few runs, empty where runs are not independent.
  std::vector<std::optional<Interval>> ci95;
  std::uint64_t runs = 0;   // that they are of
  std::uint64_t never = 0;  // of these: runs that gave up or ran out of time
  /// The mean of the latest 5% of the runs (study/statistics.hpp). Absent where one of them never completes the work, and with fewer
  /// than kFewestForWorst5 runs.
  std::optional<double> worst_5_mean;

  /// `percent`: 1 to 99. Nothing where so many runs never complete the work.
  std::optional<double> at(std::size_t percent) const {
    return percent <= percentiles.size() ? std::optional(percentiles[percent - 1]) : std::nullopt;
  }
  std::optional<Interval> ci95_at(std::size_t percent) const {
    return percent <= ci95.size() ? ci95[percent - 1] : std::nullopt;
  }
};

/// What a change of the scenario does to a figure, over the same faults.
struct Change {
  std::optional<double> by;      // absent where one of the two is unknown
  std::optional<Interval> ci95;  // of paired replicas, Monte Carlo only
};

}  // namespace gauntlet
