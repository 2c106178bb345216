// over-time.csv: what each replica did in equal parts of its wall time.
#pragma once

#include "study/store/rows.hpp"
#include "study/summary/metrics.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// replica, bucket (from 0), start_ns, end_ns; ettr and mfu of this part of the wall time; steps (new ones that were completed),
/// tokens; <phase>_ns for each phase, adding up to end_ns - start_ns but for what is a step's. Over a replica the phases and the
/// steps add up to those of replicas.csv.
std::vector<Column> over_time_columns();

/// So many parts has a wall time, the last one shorter.
constexpr std::uint64_t buckets_in(Duration wall, Duration bucket) {
  return static_cast<std::uint64_t>(wall / bucket + (wall % bucket > Duration::zero() ? 1 : 0));
}

/// Writes the rows of replicas of one scenario.
class OverTimeRows {
 public:
  explicit OverTimeRows(const ScenarioFacts& facts);
  /// The line of names.
  static std::string header();
  /// Appends the line of one part. It begins `number` x `bucket` after the start, and the replica ends at `wall`.
  void append(std::uint32_t replica, std::size_t number, const TimeBucket& of, Duration bucket, Duration wall,
              std::string& text);

 private:
  double tokens_per_step_;
  Metric ettr_, mfu_;
  Figures part_;  // as a replica, for the metrics
  Row row_;
};

}  // namespace gauntlet
