#include "config/toml/files.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".toml";
constexpr std::string_view kCatalogue = "catalog";
constexpr std::string_view kDrills = "drills";

Problem cannot_read(std::string why, std::string suggestion = {}) {
  Problem problem;
  problem.why = std::move(why);
  problem.suggestion = std::move(suggestion);
  return problem;
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

/// As a reader would write it: relative where it lies below the working directory.
fs::path shown(const fs::path& path) {
  if (path.is_relative()) return path.lexically_normal();
  std::error_code error;
  const fs::path here = fs::current_path(error);
  if (error) return path.lexically_normal();
  const fs::path relative = path.lexically_relative(here);
  const bool below = !relative.empty() && *relative.begin() != "..";
  return below ? relative : path.lexically_normal();
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == kEnding) names.push_back(entry->path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// The catalogue in the folder `beside`, or in the nearest one around it.
std::optional<fs::path> catalogue_around(const fs::path& beside) {
  std::error_code error;
  const fs::path absolute = fs::absolute(beside.empty() ? fs::path(".") : beside, error);
  if (error) return {};
  for (fs::path here = absolute.lexically_normal();; here = here.parent_path()) {
    fs::path catalogue = here / kCatalogue;
    if (fs::is_directory(catalogue, error)) return catalogue;
    if (here == here.root_path()) return {};
  }
}

fs::path& installed_scenarios() {
  static fs::path folder;
  return folder;
}

}  // namespace

FileText read_file(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::status_known(status)) return {{}, cannot_read("it cannot be read: " + error.message())};
  if (!fs::exists(status)) return {{}, cannot_read("there is no such file")};
  if (fs::is_directory(status)) return {{}, cannot_read("this is a directory", "give a scenario file in it")};
  if (!fs::is_regular_file(status)) return {{}, cannot_read("this is not a regular file")};
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) return {{}, cannot_read("its size cannot be read: " + error.message())};
  if (size > kLargestFile)
    return {{},
            cannot_read("is " + std::to_string(size) + " bytes large, and a scenario has at most " +
                            std::to_string(kLargestFile),
                        "is this the right file?")};
  std::ifstream in(path, std::ios::binary);
  std::string text(size, '\0');
  in.read(text.data(), static_cast<std::streamsize>(size));
  if (!in) return {{}, cannot_read("it cannot be read", "check its permissions")};
  return {std::move(text), {}};
}

void set_shipped_scenarios(const fs::path& folder) { installed_scenarios() = folder; }

fs::path shipped_scenarios() {
  if (const char* given = std::getenv("GAUNTLET_SCENARIO_DIR"); given != nullptr && *given != '\0')
    return given;
  if (!installed_scenarios().empty()) return shown(installed_scenarios());
#ifdef GAUNTLET_SCENARIO_DIR
  return shown(GAUNTLET_SCENARIO_DIR);
#else
  return "scenarios";
#endif
}

std::optional<fs::path> find_scenario(const std::string& name_or_path, const fs::path& beside) {
  if (name_or_path.empty()) return {};
  const fs::path given = name_or_path;
  const std::string with_ending = name_or_path + std::string(kEnding);
  for (const fs::path& folder : {beside, shipped_scenarios()}) {
    for (const fs::path& candidate : {folder / given, folder / with_ending})
      if (is_file(candidate)) return shown(candidate);
  }
  return {};
}

std::vector<std::string> shipped_scenario_names() {
  std::vector<std::string> names = names_in(shipped_scenarios());
  for (const std::string& drill : names_in(shipped_scenarios() / kDrills))
    names.push_back(std::string(kDrills) + "/" + drill);
  return names;
}

std::vector<std::string> catalogue_names(const std::string& folder, const fs::path& beside) {
  std::vector<std::string> names = names_in(shipped_scenarios() / kCatalogue / folder);
  if (const auto around = catalogue_around(beside)) {
    const std::vector<std::string> here = names_in(*around / folder);
    names.insert(names.end(), here.begin(), here.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::optional<fs::path> find_in_catalogue(const std::string& folder, const std::string& name,
                                          const fs::path& beside) {
  // A name, not a path: "../../etc/passwd" is in no catalogue.
  const bool plain = !name.empty() && name.find_first_of("/\\") == std::string::npos;
  if (!plain) return {};
  const fs::path inside = folder + "/" + name + std::string(kEnding);
  if (const auto around = catalogue_around(beside))
    if (const fs::path candidate = *around / inside; is_file(candidate)) return shown(candidate);
  if (const fs::path candidate = shipped_scenarios() / kCatalogue / inside; is_file(candidate))
    return shown(candidate);
  return {};
}

}  // namespace gauntlet
