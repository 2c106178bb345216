// Files that are on the disk when that is claimed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Writes a file whole. What went wrong, where something did.
std::optional<std::string> write_text(const std::filesystem::path& file, std::string_view text);

/// Brings a file, or the names in a directory, to the disk (fsync(2)).
std::optional<std::string> sync_to_disk(const std::filesystem::path& path);
/// Every file directly in a directory, then the directory.
std::optional<std::string> sync_all(const std::filesystem::path& directory);

/// Gives `from` the name `to`. Where a directory has that name, the two swap names at one instant: at every moment one of
/// them, complete, is called `to`. A file system that cannot do that (only then) has a moment without `to`.
std::optional<std::string> take_name(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gauntlet
