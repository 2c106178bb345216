// gauntlet trace: failure records of real clusters to faults of a scenario.
#pragma once

#include "commands/trace/question.hpp"
#include "commands/trace/result.hpp"
#include "core/problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct TraceFitted {
  std::optional<TraceFit> result;
  std::string profile;  // TOML that a scenario can extend
  std::vector<Problem> problems;
};
/// Never throws for bad input. Nothing is a result where nothing of the file can be used. In the profile the law of each cause
/// is that of a node's times between failures, since that is what a scenario's law is of.
TraceFitted fit_trace(const TraceQuestion& question);

struct TraceImported {
  std::optional<TraceImport> result;
  std::string faults;  // TOML that a scenario can extend
  std::vector<Problem> problems;
};
/// Times count from `from`, or from the first onset.
TraceImported import_trace(const TraceQuestion& question);

}  // namespace gauntlet
