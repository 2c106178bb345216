// Files and names that survive a power cut once these functions return.
#pragma once

#include "core/files/files.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Why a file was not replaced.
struct ReplaceFailure {
  enum class At { writing, naming, syncing_the_name } at = At::writing;
  int error = 0;  // an errno
};

/// "FILE.PID.part": two processes that write one file at once have each its own.
std::string temporary_name(const std::string& path);

struct ReplacedFile {
  std::string path;
  std::string temporary;  // a name in the same directory; what has it is removed
  mode_t mode = 0666;
  /// Called with the new file, whole and synced, before it gets the name; an errno keeps it from that.
  std::function<int(int descriptor)> before_naming = {};
};

/// Makes `path` a new file with these bytes: writes them under the temporary name, syncs the file, renames it, syncs the name.
/// After a failure there is no temporary file. Unless it is the last step that failed, `path` is as it was; after that the new
/// file has its name and may lose it in a power cut. No symbolic link is followed.
std::optional<ReplaceFailure> replace_file(Files& files, const ReplacedFile& file, std::string_view bytes);

// The functions below return 0, or the errno of what failed.

/// Writes a file whole, over what has that name, and does not sync it.
int write_file(Files& files, const std::string& path, std::string_view bytes);
/// Copies a file, over what has that name, and syncs the bytes of the copy.
int copy_file(Files& files, const std::string& from, const std::string& to);

/// Syncs a file, or the names in a directory.
int sync_path(Files& files, const std::string& path);
/// Syncs every file directly in a directory, then the directory.
int sync_all(Files& files, const std::string& directory);
/// Makes the name of a file or directory durable: syncs the directory that holds it. A directory that this user may write and
/// not read cannot be synced; there the whole file system is.
int sync_name(Files& files, const std::string& path);

/// Gives `from` the name `to`. Where a directory that is not empty has that name, the two swap names at one instant: at every
/// moment one of them, complete, is called `to`. A file system that cannot do that (only then) has a moment without `to`.
int take_name(Files& files, const std::string& from, const std::string& to);

/// Removes a file, or a directory with all that is in it. Nothing there is no failure.
int remove_all(Files& files, const std::string& path);

}  // namespace gauntlet
