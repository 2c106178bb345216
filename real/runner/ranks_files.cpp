// What ranks leave in the directory of their agent, and its end.
#include "core/contract.hpp"
#include "real/runner/ranks.hpp"

#include <filesystem>
#include <system_error>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

template <class Wanted>
void remove_files(const std::string& directory, const Wanted& wanted) {
  std::error_code ignored;
  std::vector<fs::path> left;
  for (const auto& each : fs::directory_iterator(directory, ignored))
    if (wanted(each.path().filename().string())) left.push_back(each.path());
  for (const fs::path& each : left) fs::remove(each, ignored);
}

}  // namespace

/// With the number of the rank and of its copy: a file in the folder of marks.
std::string RankProcesses::copies_prefix() const { return "staged-" + std::to_string(host_) + "-"; }

void RankProcesses::drop_copies() {
  remove_files(directory_ + "/marks",
               [this](const std::string& name) { return name.starts_with(copies_prefix()); });
}

void RankProcesses::forget() {
  expect(none(), "files of ranks are removed after the ranks have ended");
  std::error_code ignored;
  fs::remove_all(directory_ + "/marks", ignored);
  remove_files(directory_, [](const std::string& name) {
    const bool log = name.starts_with("rank-") && name.ends_with(".log");
    // Of an agent that was killed.
    const bool socket =
        (name.starts_with("ranks-") || name.starts_with("copies-")) && name.ends_with(".sock");
    return log || socket;
  });
}

}  // namespace gauntlet
