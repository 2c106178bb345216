// The trace of runs: a process for each, with its tracks.
#pragma once

#include "commands/timeline/run.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// As problem_of_output() looks for it.
std::string timeline_begins();

/// More events than this are no trace: a viewer needs about 1 kB of memory for each (an assumption; Perfetto's own limit is the 4 GB of
/// a browser's page).
inline constexpr std::uint64_t kMostTraceEvents = 2'000'000;

/// What is in the trace of one run.
struct TimelineCounts {
  std::string title;
  std::uint64_t faults = 0, observations = 0, orders = 0, checkpoints = 0;
  std::int64_t checkpoints_each = 1;  // are drawn together, at most
};

struct Timeline {
  std::string text;  // of the file; empty where there are too many events
  std::vector<TimelineCounts> runs;
  std::uint64_t tracks = 0, arrows = 0, events = 0;
};

/// Runs beside each other, from one beginning.
Timeline timeline_of(const std::vector<TimelineRun>& runs);

}  // namespace gauntlet
