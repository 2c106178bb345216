// What a search for the best settings found: the settings with their interval, how flat it is around them, the formulas'
// answers beside them, and every point that was tried.
#pragma once

#include "study/summary/field_kind.hpp"
#include "study/summary/paired_difference.hpp"
#include "study/summary/summary.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// Values from one to another, as --set takes them.
struct ValueSpan {
  std::string low, high;
};

/// A field that was tuned.
struct TunedField {
  std::string path;
  FieldKind kind = FieldKind::number;
  bool logarithmic = true;  // as its range is
  ValueSpan range;          // that was searched
  bool range_given = false;
  std::string today, best;
  /// 95% of where the best value is, other fields following; Monte Carlo only. Absent where too little was run.
  std::optional<ValueSpan> interval;
  /// Whole numbers alone. Then the interval holds the values that are not told apart from the best, and those between them that have not run.
  bool whole = false;
  /// No value between those of `flat` differs from the best by more than chance: the best is today's, if that is one.
  bool matters = true;
  /// The other fields being at their best: values that cost at most kFlat of the loss more than the lowest point found.
  ValueSpan flat;
  /// Too few points ran for a curve through them: `flat` lies between those few, and is not shown.
  bool flat_known = true;
  /// The flat range is so wide (kPlateau) that an optimum within it says nothing: there is no interval of one then, and
  /// `best` is today's value where that lies in the range, else the middle of it on the axis that was searched.
  bool plateau = false;
  bool flat_to_low = false, flat_to_high = false;  // up to the end of what was tried: it may be flat beyond
  /// Where the regret is not known to be within kFlat: the tried values around the best one that chance may have put
  /// behind it (paired tests at 5%, corrected for how many there are: alike.hpp). Absent where there is no other.
  std::optional<ValueSpan> alike;
  std::vector<std::string> not_alike;  // values between these that are told apart
  /// A value next to `flat` that is refused, or costs half as much again as the loss: a cliff, not a slope.
  std::optional<std::string> cliff_below, cliff_above;
  std::vector<std::size_t> curve;  // the points along it, other fields at their best; from low to high
  std::size_t lowest = 0;          // the point of the curve that the others are held against
  std::vector<std::optional<PairedDifference>> worse;  // by point of the curve: than `lowest`, as a loss
  bool joint =
      false;  // the intervals of `worse` hold together: a point whose interval holds zero is not told apart
};

/// What a difference of an objective is counted in shares of: the loss.
enum class LossKind : std::uint8_t {
  missing,  // of a share such as ETTR: what is missing to 1
  lost,     // of time and money: what of it is lost, the part that trained nothing
  itself,
};
LossKind loss_kind(std::string_view metric);

/// What counts as flat: this share of the loss more.
inline constexpr double kFlat = 0.01;
/// What counts as a plateau: a flat range whose high end is so many times its low end.
inline constexpr double kPlateau = 4;
/// The field whose best value formulas give.
inline constexpr std::string_view kIntervalPath = "checkpoint.interval";

struct TunedPoint {
  std::vector<std::string> values;  // one a field
  std::vector<double> numbers;      // the same as numbers
  /// "today", "best" ("recommended" where a field is a plateau) or both; empty for the others.
  std::string name;
  std::vector<std::string> formulas;  // that give its value of kIntervalPath: "Young", ...
  bool refused = false;               // by the scenario
  bool dropped = false;               // out of the race
  std::uint32_t replicas = 0;
  Statistics objective;
  std::optional<PairedDifference> worse;  // than the best, by the objective as a loss; absent for the best
  std::vector<std::optional<double>> figures;  // by bound
  bool meets = true;                           // the bounds
  double gave_up = 0;                          // share of its runs
  bool gives_up_more = false;  // clearly more than the best: its figures are of runs that never got done

  /// "best, exact"
  std::string full_name() const;
  /// The same without formulas, but on the curve of the field that they are of.
  std::string name_along(std::string_view path) const { return path == kIntervalPath ? full_name() : name; }
};

/// A bound, and whether it is met.
struct TunedBound {
  std::string text;  // "wall_time_s.p95<60d"
  std::string metric;
  std::string statistic;  // "p95"
  bool upper = true;
  double limit = 0;
};

/// A formula's answer for checkpoint.interval.
struct AnalyticOptimum {
  std::string name;   // "Young"
  std::string value;  // "53min"
  std::size_t point = 0;
  /// In shares of the loss, by the fitted curve: what it costs more than the lowest point, and how much that is at most
  /// with 95%. Absent where it lies outside of what was fitted: then the point's own difference says it.
  std::optional<double> excess = {}, regret = {};
};

struct TuneResult {
  enum class End : std::uint8_t {
    settled,
    budget,  // spent before the best point was precise
    interrupted,
  };
  std::string scenario, question, version;
  std::string currency;  // of the scenario's costs
  std::uint64_t seed = 0;
  std::string metric;
  bool maximise = true;
  End end = End::settled;
  std::vector<TunedField> fields;
  std::vector<TunedBound> bounds;
  std::vector<TunedPoint> points;  // in the order in which they were tried
  std::optional<std::size_t>
      best;  // nothing where nothing was run. The nearest one where no point meets the bounds
  std::size_t today = 0;
  bool meets = true;  // the best point meets every bound
  /// Whether any point has a mean of the metric. Without one no point is better than another.
  bool has_value() const {
    return std::ranges::any_of(points,
                               [](const TunedPoint& each) { return each.objective.mean.has_value(); });
  }
  double scale = 0;  // the loss: what differences are counted in shares of
  /// With 95%, the best point costs at most this share of the loss more than the true optimum.
  std::optional<double> regret;
  std::vector<AnalyticOptimum> analytic;
  double mtbf_s = 0, checkpoint_cost_s = 0;  // that they are of
  std::optional<Summary> summary;            // of the best point
  std::uint64_t replicas = 0;                // of all points
  std::uint64_t budget = 0, lacked = 0;  // of replicas; where it ended the search: what the next step needed
  std::uint32_t common_replicas = 0;     // that figures along the curves are of
  std::uint32_t window_points = 0, window_replicas = 0;  // what the curve was fitted through
  std::string refusal;  // why the scenario refuses values, of the first that it refuses
  std::vector<std::string> notes;

  std::vector<std::pair<std::string, std::string>> settings_of(const TunedPoint& point) const;
};

/// {"command": "tune", "scenario", "version", "seed", "interval", "objective", "bounds", "end", "best": {"settings",
///  "meets", "mean", "ci95", "regret_share", "worse_today", "metrics"}, "fields": [{"path", "best", "today", "ci95",
///  "plateau", "flat", ...}], "analytic", "points": [{"settings", "replicas", "dropped", "mean", "ci95", "worse", ...}]}. What is
/// unknown is null.
std::string to_json(const TuneResult& result);

}  // namespace gauntlet
