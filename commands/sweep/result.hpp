// What a sweep found: the figures of every point, the best of them, and which others may be as good.
#pragma once

#include "study/precision.hpp"
#include "study/summary/field_kind.hpp"
#include "study/summary/paired_difference.hpp"
#include "study/summary/summary.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// A field that was varied.
struct SweptField {
  std::string path;
  FieldKind kind = FieldKind::text;
  bool logarithmic = false;         // as its range was
  std::vector<std::string> values;  // that points have: numbers from low to high, words as they were given
  std::vector<double> numbers;      // the same as numbers; empty for words
  bool ranged = false;              // given as low:high: then values beyond the ends can be asked for
};

struct SweptPoint {
  std::vector<std::size_t> at;  // by field: which of its values
  Summary summary;
  bool precise = true;            // reached the precision that was asked for, or none was
  bool without_interval = false;  // ... and its replicas gave no interval, so that more were not tried
  /// How much better the best point is by the objective (zero or more), over the replicas that both have; nothing for the
  /// best itself.
  std::optional<PairedDifference> behind;
  bool may_be_best = true;  // see SweepResult::best

  bool all_gave_up() const { return summary.mean("gave_up").value_or(0) >= 1; }
};

/// A point that its scenario does not allow.
struct RefusedPoint {
  std::vector<std::pair<std::string, std::string>> settings;  // path, value
  std::string why;
};

struct SweepResult {
  std::string scenario;  // name of the base scenario
  std::string question;
  std::string version;
  std::uint64_t seed = 0;
  std::string design;  // "grid", "latin-hypercube"
  std::vector<SweptField> fields;
  std::vector<SweptPoint> points;  // that have a replica, in the order of the design
  std::uint32_t asked_points = 0;  // of the design
  std::vector<RefusedPoint> refused;
  bool interrupted = false;  // not all that was asked for was run
  std::vector<PrecisionGoal> precision;
  bool budget_spent = false;       // the budget ended it before every point was precise
  std::vector<std::string> notes;  // what a reader would not expect: whole numbers that a range leaves out

  /// What makes a point the best: the highest ettr; where points hold different numbers of GPUs at a price, the lowest
  /// cost.per_effective_gpu_hour.
  std::string objective = "ettr";
  bool smallest = false;
  /// The best point; nothing where none has the objective. With 95% confidence, one of the points with `may_be_best` is
  /// the best of all: a point is left out where its paired one-sided t-test against the best says so at the level
  /// 5% / (points - 1) (Bonferroni's correction). A point whose runs all gave up is never among them where some other point has a run that
  /// did not give up.
  std::optional<std::size_t> best, second;
  /// Median over the points of the factor by which common random numbers cut the variance of the difference to the best.
  std::optional<double> variance_factor;

  /// Whether all replicas are the same at all points, of which there are two or more. Then `best` is the first of equals.
  bool nothing_changes() const;
  /// "checkpoint.interval = 8min, spares.count = 4"
  std::string settings_text(const SweptPoint& point) const;
  std::uint64_t replicas() const;  // of all points
};

/// Of the costs of every point (study/vary.hpp mixes no currencies).
std::string currency_of(const SweepResult& result);

/// {"command": "sweep", "scenario", "version", "seed", "currency", "design", "interval", "fields": [{"path", "values"}],
///  "points": [{"settings": {}, "replicas", "fingerprint", "precise", "may_be_best", "behind_best": {"difference", "se",
///  "ci95", "variance_factor"}, "metrics": {}}], "best": {"metric", "settings", "mean", "ci95", ...}}; "interrupted": true
/// after "interval" where not all was run; "refused": [{"settings": {}, "why"}] where points were left out; "notes". What is unknown is
/// null.
std::string to_json(const SweepResult& result);

}  // namespace gauntlet
