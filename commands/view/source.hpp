// Where a page comes from: a replica that is simulated now, a recording, or a result directory.
#pragma once

#include "config/fields/scenario_parts.hpp"
#include "core/problem.hpp"
#include "core/record/record.hpp"
#include "core/record/truth.hpp"
#include "score/figures.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct ViewSource {
  Scenario scenario;
  Record record;
  TruthLog truth;                   // empty: not known
  std::vector<Incident> incidents;  // as they were scored
  bool scored = false;              // else `incidents` is empty because nobody scored the run
  bool drill = false;
  std::uint64_t seed = 0;
  std::uint32_t replica = 0;
  std::string origin;
  std::vector<std::string> notes;  // what is missing
};

/// A source, or why there is none.
struct OpenedView {
  std::optional<ViewSource> source;
  std::vector<Problem> problems;
};

struct ViewQuestion {
  std::string what;  // a scenario, a recording or a directory
  std::vector<std::string> sets;
  std::optional<std::uint64_t> seed;
  std::optional<std::uint32_t> replica = {};  // of a scenario or of results, from 0
  std::optional<std::uint32_t> drill = {};    // of a directory of several, from 1
};

/// A directory is a result directory of `run` or of `drill`; a file that begins as a recording does is one; all else is a scenario.
/// A replica of a scenario or of results is simulated again; a recording is shown as it is. Throws what a simulation throws.
OpenedView open_view(const ViewQuestion& question);

}  // namespace gauntlet
