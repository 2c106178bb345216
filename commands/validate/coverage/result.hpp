// How often the intervals of scenarios hold the value that many more replicas give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// Of one way to compute means.
struct IntervalCount {
  std::uint32_t given = 0;    // repetitions that have an interval
  std::uint32_t covered = 0;  // of them, how many hold the value
  double width = 0;           // of all of them, added up

  double share() const { return given > 0 ? static_cast<double>(covered) / given : 0; }
};

struct CoveredMetric {
  std::string name;
  double value = 0;     // of all replicas together
  double skewness = 0;  // of one replica's residual
  bool exact = false;   // without a scatter beyond rounding
  bool is_share =
      false;  // of runs in which something happened: its exact interval holds the value at least as often
  IntervalCount controlled, plain;
};

struct CoveredScenario {
  std::string name;
  std::string problem;  // why there is nothing: it does not load
  std::vector<CoveredMetric> metrics;
};

struct CoverageResult {
  std::string version;
  std::uint64_t seed = 0;
  std::uint32_t replicas = 0;     // of a repetition
  std::uint32_t repetitions = 0;  // with replicas of their own
  bool interrupted = false;       // scenarios that were not reached are not there
  std::vector<CoveredScenario> scenarios;

  /// Student's interval is meant for means that are nearly normal. By Cochran's rule (Sampling Techniques, 3rd ed., 1977, sec. 2.15) that
  /// takes 25 times the square of the skewness.
  bool is_judged(const CoveredMetric& metric) const {
    constexpr double kCochran = 25;
    return metric.controlled.given == repetitions && !metric.exact &&
           (metric.is_share || replicas > kCochran * metric.skewness * metric.skewness);
  }
  /// 95% within what chance makes of so many repetitions, 4 standard errors, and at least 2 points.
  double allowed() const;
  bool holds(const CoveredMetric& metric) const;
  struct Judged {
    std::size_t metrics = 0, outside = 0;
  };
  Judged judged() const;
  /// Something is judged, every scenario loads, and at most one judged metric in fifty is outside. Where the controls explain nearly
  /// everything, the rest is not quite linear in the counts, and such narrow intervals show it.
  bool holds() const;
};

std::string to_json(const CoverageResult& result);

}  // namespace gauntlet
