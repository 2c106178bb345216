// A run that a timeline shows, from a simulation or a drill: both leave the same records.
#pragma once

#include "core/record/record.hpp"
#include "core/record/run_logs.hpp"
#include "models/world/world.hpp"

#include <optional>
#include <string>

namespace gauntlet {

struct TimelineRun {
  std::string title;  // "tiny-8, replica 3 (simulated)"
  World world;
  Record record;                // begins with Started
  std::optional<RunLogs> logs;  // nothing: the recording was cut short, and has only observations and orders
  Time end() const { return record.observations.back().at; }
};

}  // namespace gauntlet
