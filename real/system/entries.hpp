// What lies in a directory, such as those in which Linux lists devices.
#pragma once

#include <filesystem>
#include <vector>

namespace gauntlet {

/// In ascending order; none where it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory);

}  // namespace gauntlet
