// The result of `gauntlet drill --repeat`: many drills of one scenario, each beside its simulation.
#pragma once

#include "report/report_options.hpp"
#include "report/worlds/compare.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

/// A drill that says nothing of how the policies fare: it has no result.
struct FailedDrill {
  std::uint32_t number = 1;
  std::uint64_t seed = 0;
  std::string why;
};

struct RepeatedDrills {
  std::string scenario;                  // its name
  std::string version;                   // of the program
  std::uint32_t asked = 0;               // --repeat
  bool vary_seed = false;                // else all have one seed
  bool interrupted = false;              // before all were drilled
  std::vector<std::string> faults = {};  // names by FaultKindId
  std::vector<DrillPair> pairs = {};     // in order of their numbers
  std::vector<FailedDrill> failed = {};
};

/// What was measured beside what was simulated, with the method and the number of pairs; no interval of a single pair.
std::string worlds_text(const std::vector<DrillPair>& pairs, const std::vector<std::string>& faults);

/// The ETTR of both worlds, with the interval of the difference; empty without a drill.
std::string answer_line(const RepeatedDrills& drills);

/// How many drills are complete and which failed, the figures of both worlds, and the decisions drill by drill.
std::string text_report(const RepeatedDrills& drills, const ReportOptions& options);

/// The same as data. `command` gives it again.
std::string to_json(const RepeatedDrills& drills, const std::string& command);

}  // namespace gauntlet
