// Files that are on the disk when that is claimed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Writes all of it: 0, or the errno of the write that failed. Waits for a descriptor that is set not to block.
int write_all(int descriptor, std::string_view text);

/// Writes a file whole. What went wrong, where something did.
std::optional<std::string> write_text(const std::filesystem::path& file, std::string_view text);

/// Why a path is not a file with contents of its own: a FIFO, a socket, a device or a directory is none, and whoever opens one
/// may wait for ever. Nothing where it is a file, or where nothing is there.
std::optional<std::string> not_a_file(const std::filesystem::path& path);

/// Brings a file, or the names in a directory, to the disk (fsync(2)).
std::optional<std::string> sync_to_disk(const std::filesystem::path& path);
/// Every file directly in a directory, then the directory.
std::optional<std::string> sync_all(const std::filesystem::path& directory);

/// Gives `from` the name `to`. Where a directory has that name, the two swap names at one instant: at every moment one of
/// them, complete, is called `to`. A file system that cannot do that (only then) has a moment without `to`.
std::optional<std::string> take_name(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gauntlet
