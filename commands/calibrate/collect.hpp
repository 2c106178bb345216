// What recordings of drills say of how long things take, by the keys of a scenario.
#pragma once

#include "commands/calibrate/sample.hpp"
#include "config/scenario.hpp"
#include "core/problem.hpp"
#include "core/record/recording.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// A recording that is whole, and its scenario.
struct MeasuredRun {
  std::string file;
  Recording recording;
  LoadedScenario loaded;
  std::string day;  // on which it was written: "2026-11-26", in UTC
  double hosts() const { return loaded.scenario->world.inventory.job_hosts; }
  double bytes() const;  // of a checkpoint
};

/// Or what is wrong with the file.
struct ReadRun {
  std::optional<MeasuredRun> run;
  std::vector<Problem> problems;
};
ReadRun read_run(const std::string& file);

/// What keeps these runs from being measurements of one scenario: it may differ in its size and in what only a study reads.
std::optional<Problem> problem_of_runs(const std::vector<MeasuredRun>& runs);

/// Begins the name of a signal in place of a key: how long after a host sensed it the driver heard it.
inline constexpr std::string_view kSignalPrefix = "signal ";

/// By key, and by signal. A start counts with its phases where ranks marked them in any of the runs, else as a whole.
std::map<std::string, KeySample> collect(const std::vector<MeasuredRun>& runs);

}  // namespace gauntlet
