// From files to one tree: `extends`, the catalogue and --set.
#pragma once

#include "config/mistakes.hpp"
#include "config/value.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// The tree of a scenario file over those that it extends, with names from the catalogue replaced by their entries,
/// and `sets` ("path=value") over all. Nothing when a file, or one that it extends, cannot be read: what is missing
/// without it would be no mistake of anyone's.
std::optional<Value> assemble_file(const std::filesystem::path& path, std::span<const std::string> sets,
                                   Mistakes& mistakes);
/// The same of a text. Relative paths in it start at the working directory.
std::optional<Value> assemble_text(std::string_view text, const std::string& name,
                                   std::span<const std::string> sets, Mistakes& mistakes);

}  // namespace gauntlet
