// A study in one value: the statistics of every metric over its replicas.
#pragma once

#include "study/summary/facts.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// What every interval of a study covers: the scatter of its replicas, with the scenario's parameters taken as known.
inline constexpr std::string_view kIntervalCovers = "Monte Carlo only";

struct Interval {
  double low = 0, high = 0;
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Fewer replicas than this give no interval: Student's t still holds for normal values, which these are not.
inline constexpr std::uint64_t kFewestForInterval = 5;

/// Fewer replicas than these hold no whole replica beyond the percentile, or in the worst 5%. p1 of 20 replicas would be little
/// more than the smallest of them.
inline constexpr std::uint64_t kFewestForP1 = 100;  // and for p99
inline constexpr std::uint64_t kFewestForWorst5 = 20;

/// The longer side of an interval, from the value that it is of: half its width, but for that of a share, which is not symmetric.
/// The value +- this holds the interval.
inline double longer_side(const Interval& of, double value) {
  return std::max(of.high - value, value - of.low);
}

/// Of one metric. What too few replicas leave unknown is absent: everything without a replica that defines the metric;
/// `sd` and `se` with only one; `ci95` with fewer than kFewestForInterval; `worst_5_mean` with fewer than kFewestForWorst5;
/// `p1` and `p99` with fewer than kFewestForP1.
struct Statistics {
  std::uint64_t n = 0;  // replicas that have a value of their own
  std::optional<double>
      mean;  // sum of all numerators / sum of all denominators, or a quantile of all latencies
             // together (study/summary/metrics.hpp)
  std::optional<double> sd;  // of one replica: sample standard deviation; of a ratio by the delta method
  std::optional<double> se;  // of the mean, with its controls (study/controls.hpp)
  /// Of the mean: Student's with Hall's correction of skewness (study/mean_interval.hpp); of a share of the runs the exact one of
  /// Clopper and Pearson (study/binomial.hpp).
  std::optional<Interval> ci95;
  std::optional<double> p1, p5, p50, p95,
      p99;  // of one replica's value: exact quantiles, linear between order statistics
  /// Of one replica's value: the mean of the worst 5% (study/statistics.hpp). Absent too where neither low nor high values of the
  /// metric are bad (study/summary/metrics.hpp).
  std::optional<double> worst_5_mean;
  /// Of a metric of whole runs (RunValue::whole_run), how many of the `n` runs gave up: they never came to their end. They are in
  /// the mean with what they took until then. Among single runs they count as worse than all others: a percentile that falls
  /// among them is absent, and with one of them so is the mean of the worst 5%. Zero for all other metrics.
  std::uint64_t gave_up = 0;
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

struct NamedStatistics {
  std::string name;
  Statistics statistics;
};

/// Of a drill: how exact times of its hosts are, by the driver's clock.
struct ClockStatement {
  double largest_error_seconds =
      0;                    // of a time that a host reported; zero where all processes read one clock
  std::uint32_t jumps = 0;  // of a host's clock: what it reported just before one is wrong by the jump
  friend bool operator==(const ClockStatement&, const ClockStatement&) = default;
};

struct Summary {
  ScenarioFacts facts;
  std::uint32_t replicas = 0;              // that the statistics hold
  bool interrupted = false;                // more replicas were asked for
  std::optional<std::uint32_t> only;       // the one replica that was asked for, where it was one by number
  std::uint64_t fingerprint = 0;           // of all replicas in their order
  std::vector<std::uint32_t> controls{};   // of facts.controls, those that correct the means
  std::vector<NamedStatistics> metrics;    // in the order of metrics_of
  std::optional<ClockStatement> clocks{};  // of a drill alone

  /// The statistics of a metric by name; null where there is none of that name.
  const Statistics* find(std::string_view name) const {
    for (const NamedStatistics& metric : metrics)
      if (metric.name == name) return &metric.statistics;
    return nullptr;
  }
  /// The mean of a metric; absent where it has none.
  std::optional<double> mean(std::string_view name) const {
    const Statistics* found = find(name);
    return found ? found->mean : std::nullopt;
  }
};

/// How many replicas with plain means have an interval as narrow as this one with its controls. Absent where the means are plain,
/// and of what does not scatter.
inline std::optional<double> plain_replicas(const Summary& summary, const Statistics& of) {
  if (summary.controls.empty() || !of.sd || !of.se || !(*of.se > 0)) return std::nullopt;
  return *of.sd / *of.se * (*of.sd / *of.se);
}

/// The fingerprint of a study before its first replica: FNV-1a's offset basis
/// (http://www.isthe.com/chongo/tech/comp/fnv/).
inline constexpr std::uint64_t kNoFingerprint = 0xcbf29ce484222325;

/// The fingerprint of a study with one replica more: FNV-1a over the bytes of the replica's, lowest first.
constexpr std::uint64_t add_fingerprint(std::uint64_t so_far, std::uint64_t replica) {
  constexpr std::uint64_t kPrime = 0x100000001b3;
  for (int byte = 0; byte < 8; ++byte) so_far = (so_far ^ (replica >> (8 * byte) & 0xff)) * kPrime;
  return so_far;
}

}  // namespace gauntlet
