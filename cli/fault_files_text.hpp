// Which file brings which faults, for people.
#pragma once

#include "config/fault_files.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// "2 faults from mine.toml: disk, gpu"; one line for each file.
std::vector<std::string> fault_files_lines(const std::vector<FaultFile>& files);

}  // namespace gauntlet
