// manifest.txt of a result directory: every other file in it with its size and its digest, so that a file that was edited,
// cut, or lost afterwards is found. A line each, by name: digest, size in bytes, name.
#pragma once

#include "core/files/files.hpp"
#include "core/problem.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Lists what is in a directory now. What went wrong, where something did.
std::optional<std::string> write_manifest(const std::filesystem::path& directory,
                                          Files& files = system_files());

/// Whether one file is as it was written; nothing where it is.
std::optional<Problem> check_listed(const std::filesystem::path& directory, const std::string& name);

/// The first file that is not as it was written; nothing where all are. Files of somebody else are passed over.
std::optional<Problem> check_manifest(const std::filesystem::path& directory);

}  // namespace gauntlet
