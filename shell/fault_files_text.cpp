#include "shell/fault_files_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gauntlet {

std::vector<std::string> fault_files_lines(const std::vector<FaultFile>& files) {
  std::vector<std::string> lines;
  for (const auto& [file, faults] : files)
    lines.push_back(fmt::format("{} fault{} from {}: {}", faults.size(), faults.size() == 1 ? "" : "s", file,
                                fmt::join(faults, ", ")));
  return lines;
}

std::vector<std::string> inherited_faults(const Value& resolved) {
  const std::vector<FaultFile> files = faults_by_file(resolved);
  return files.size() > 1 ? fault_files_lines(files) : std::vector<std::string>();
}

}  // namespace gauntlet
