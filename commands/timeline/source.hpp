// Where the runs of a timeline come from: a scenario that is simulated, a recording, the directory of drills.
#pragma once

#include "commands/timeline/run.hpp"
#include "core/problem.hpp"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct TimelineQuestion {
  std::string source;
  std::vector<std::string> sets;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> replica;
  std::optional<std::uint32_t> drill;  // of a directory of several, from 1
  bool against_simulation = false;
};

struct TimelineSource {
  std::vector<TimelineRun> runs;  // of a drill first, then its simulation
  std::vector<Problem> problems;  // then there are no runs
  /// The recording was cut short: there are runs up to there, and this says what is missing.
  std::optional<Problem> missing = {};
  bool interrupted = false;  // `stop` was set while a simulation ran; then there are no runs
};

TimelineSource find_runs(const TimelineQuestion& question, const std::atomic<bool>& stop);

}  // namespace gauntlet
