// over-time.csv of a run: ETTR, MFU and phases of each replica in equal parts of its wall time.
#pragma once

#include "core/problem.hpp"
#include "study/experiment.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

/// As many rows are written at most: about 100 MB.
inline constexpr std::uint64_t kMostOverTimeRows = 500'000;

/// The length of a part, of the text of --over-time.
struct OverTimeBucket {
  Duration length{};
  std::optional<Problem> problem;  // where it has none
};
/// `replicas` of `point` are to be run. Parts that give too many rows are refused, as far as that is certain before they have run:
/// runs that give up may be shorter, and those with faults longer.
OverTimeBucket over_time_bucket(const std::string& text, const Point& point, std::uint32_t replicas);

struct OverTimeText {
  std::optional<std::string>
      text;  // neither this nor a problem: it was interrupted, and the experiment fell short
  std::optional<Problem> problem;
};
/// Runs all replicas of `point` again, on `threads` threads of this process. `terms`: those that they were run with.
OverTimeText over_time_text(Experiment& experiment, PointNumber point, Duration bucket, StudyTerms terms,
                            unsigned threads);

}  // namespace gauntlet
