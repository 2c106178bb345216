#include "real/system/entries.hpp"

#include <algorithm>
#include <system_error>

namespace gauntlet {

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (std::filesystem::directory_iterator each(directory, error), end; !error && each != end;
       each.increment(error))
    found.push_back(each->path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace gauntlet
