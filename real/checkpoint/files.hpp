// Files that are there as a whole or not at all, also after a power cut.
#pragma once

#include "core/problem.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gauntlet {

/// Ends the names of files that are being written; one without a living writer is litter.
inline constexpr std::string_view kTemporarySuffix = ".tmp";

/// Writes `directory/name`: under a temporary name, fsync, rename, fsync of the directory. After a problem there is no
/// temporary, and what had the name before still has it.
std::optional<Problem> write_durably(const std::string& directory, const std::string& name,
                                     std::string_view bytes);

/// fsync of a directory: its names are durable.
std::optional<Problem> sync_directory(const std::string& directory);

struct ReadFile {
  std::optional<std::string> bytes;
  Problem problem;  // where there are none
};
ReadFile read_file(const std::string& path);

/// `what` failed for `path`, with the system's reason for `error`, an errno.
Problem file_problem(const std::string& path, const std::string& what, int error);

}  // namespace gauntlet
