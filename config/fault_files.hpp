// Which file brings which faults: a scenario that extends another keeps the faults of that one beside its own.
#pragma once

#include "config/scenario.hpp"

#include <string>
#include <vector>

namespace gauntlet {

struct FaultFile {
  std::string file;  // or "--set"
  std::vector<std::string> faults;
  friend bool operator==(const FaultFile&, const FaultFile&) = default;
};

/// The faults of a resolved scenario (LoadedScenario::resolved) that may strike, by the file that brings them: of the files that say
/// something of a fault the lowest. The files are in the order of their names.
std::vector<FaultFile> faults_by_file(const Value& resolved);

/// Those that are switched off, with mtbf = "never".
std::vector<std::string> faults_switched_off(const Value& resolved);

}  // namespace gauntlet
