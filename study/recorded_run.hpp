// A recording with the scenario that it names, when all that it says could have been in that scenario's world.
#pragma once

#include "config/scenario.hpp"
#include "core/problem.hpp"
#include "core/record/recording.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct RecordedRun {
  Recording recording;  // it begins with Started, where it has any observation
  LoadedScenario loaded;
};

/// Either a run or problems: anybody may have written the file. Each component, pattern, probe and fault that it names is one
/// of the scenario's world, each outcome answers one order, each value comes from a watch that was ordered, and the logs
/// account for each nanosecond of the record.
struct OpenedRecording {
  std::optional<RecordedRun> run;
  std::vector<Problem> problems;
};
OpenedRecording open_recording(const std::string& path);

}  // namespace gauntlet
