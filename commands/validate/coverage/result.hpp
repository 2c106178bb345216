// How often the intervals of scenarios hold the value that many more replicas give.
#pragma once

#include "core/problem.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gauntlet {

/// Values that differ by no more are equal, as a share of the value.
inline constexpr double kRelativeRounding = 1e-12;

/// Of one way to compute means.
struct IntervalCount {
  std::uint32_t given = 0;    // repetitions that have an interval
  std::uint32_t covered = 0;  // of them, how many hold the value
  double width = 0;           // of all of them, added up

  void add(const std::optional<Interval>& interval, double value);
  double share() const { return given > 0 ? static_cast<double>(covered) / given : 0; }
};

/// All of them in one line.
std::string problems_text(std::span<const Problem> problems);

struct CoveredMetric {
  std::string name;
  double value = 0;     // of all replicas together
  double skewness = 0;  // of one replica's residual
  bool exact = false;   // without a scatter beyond rounding
  bool is_share =
      false;  // of runs in which something happened: its exact interval holds the value at least as often
  IntervalCount controlled, plain;
};

/// A figure of `plan --uncertainty` of a scenario.
struct CoveredFigure {
  std::string name;
  /// Of the runs of all repetitions together. Absent where the true value of each repetition is that of one more draw of the parameters.
  std::optional<double> value;
  bool at_least = false;  // its interval is meant to hold the value at least as often as it says
  IntervalCount count;
};

struct CoveredScenario {
  std::string name;
  std::string problem;  // why there is nothing: it does not load
  std::vector<CoveredMetric> metrics;
  std::vector<CoveredFigure> with_uncertainty = {};  // where study.uncertain names something
};

/// How the intervals of `plan --uncertainty` are repeated: each repetition draws parameters and faults of its own.
struct UncertainRepetitions {
  std::uint32_t repetitions = 0;
  std::uint32_t draws = 0;          // of the parameters, in a repetition
  std::uint32_t replicas_each = 0;  // of a draw
  std::uint32_t true_replicas = 0;  // at the true parameters of a repetition
};

/// Of fewer repetitions the 95% may be off by more than 20 points, and intervals that are far too narrow would pass.
inline constexpr std::uint32_t kFewestJudged = 20;

struct CoverageResult {
  std::string version;
  std::uint64_t seed = 0;
  std::uint32_t replicas = 0;     // of a repetition
  std::uint32_t repetitions = 0;  // with replicas of their own
  bool interrupted =
      false;  // scenarios that were not reached are not there; the last one may lack its figures
  UncertainRepetitions uncertain;
  std::vector<CoveredScenario> scenarios;

  /// Student's interval is meant for means that are nearly normal. By Cochran's rule (Sampling Techniques, 3rd ed., 1977, sec. 2.15) that
  /// takes 25 times the square of the skewness.
  bool is_judged(const CoveredMetric& metric) const {
    constexpr double kCochran = 25;
    return repetitions >= kFewestJudged && metric.controlled.given == repetitions && !metric.exact &&
           (metric.is_share || replicas > kCochran * metric.skewness * metric.skewness);
  }
  /// Every repetition has an interval, and one with a width; and the repetitions are enough to notice intervals that are far too narrow.
  bool is_judged(const CoveredFigure& figure) const {
    return uncertain.repetitions >= kFewestJudged && figure.count.given == uncertain.repetitions &&
           figure.count.width > 0;
  }
  /// 95% within what chance makes of so many repetitions, 4 standard errors, and at least 2 points.
  double allowed() const;
  double allowed_with_uncertainty() const;
  bool holds(const CoveredMetric& metric) const;
  bool holds(const CoveredFigure& figure) const;
  struct Judged {
    std::size_t metrics = 0, outside = 0;
  };
  Judged judged() const;
  Judged judged_with_uncertainty() const;
  /// Every scenario loads. Some metrics are judged, and where there are figures with enough repetitions, some of these. Of the metrics at
  /// most one in fifty is outside, and so of the figures; of fewer than fifty none. Where the controls explain nearly everything, the
  /// rest is not quite linear in the counts, and such narrow intervals show it.
  bool holds() const;
};

std::string to_json(const CoverageResult& result);

}  // namespace gauntlet
