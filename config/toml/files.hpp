// Finding and reading scenario files and the catalogue.
#pragma once

#include "core/problem.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What is larger is not a scenario, and is not read.
inline constexpr std::uintmax_t kLargestFile = 4 * 1024 * 1024;

/// The text of a file, or why there is none. `problem` has no file yet.
struct FileText {
  std::optional<std::string> text;
  Problem problem;
};
FileText read_file(const std::filesystem::path& path);

/// Where the shipped scenarios and the catalogue are: $GAUNTLET_SCENARIO_DIR, else what was set, else where the build found them.
std::filesystem::path shipped_scenarios();
/// For a library that was installed, before anything else here is called.
void set_shipped_scenarios(const std::filesystem::path& folder);

/// The file that `name_or_path` means: relative to `beside`, then to the shipped scenarios; ".toml" may be left out.
/// What exists is shown relative to the working directory where it lies below it.
std::optional<std::filesystem::path> find_scenario(const std::string& name_or_path,
                                                   const std::filesystem::path& beside);

/// The names of the shipped scenarios, for a suggestion.
std::vector<std::string> shipped_scenario_names();

/// The names of the entries of a folder of the catalogue, as seen from a scenario in `beside`: the first `catalog`
/// folder in it or above it, then the shipped one.
std::vector<std::string> catalogue_names(const std::string& folder, const std::filesystem::path& beside);
std::optional<std::filesystem::path> find_in_catalogue(const std::string& folder, const std::string& name,
                                                       const std::filesystem::path& beside);

}  // namespace gauntlet
