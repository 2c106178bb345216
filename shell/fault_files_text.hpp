// Text: which file brings which faults.
#pragma once

#include "config/fault_files.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// "2 faults from mine.toml: disk, gpu"; one line for each file.
std::vector<std::string> fault_files_lines(const std::vector<FaultFile>& files);

/// The same of a resolved scenario, for the report of a study: empty where one file brings all, which nobody is surprised by.
std::vector<std::string> inherited_faults(const Value& resolved);

}  // namespace gauntlet
