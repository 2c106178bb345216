// Reading files whole.
#pragma once

#include "core/files/files.hpp"

#include <optional>
#include <string>

namespace gauntlet {

struct ReadBytes {
  std::string bytes;
  int error = 0;  // an errno
};
/// Reads whatever has that name, also a pipe.
ReadBytes read_bytes(Files& files, const std::string& path);

/// Why a path is not a file with contents of its own: a FIFO, a socket, a device or a directory is none, and whoever opens one
/// may wait forever. Nothing where it is a file, or where nothing is there.
std::optional<std::string> not_a_file(const std::string& path);

/// Why the system does not say what is there: "Permission denied". No value if it does, even if nothing is there.
std::optional<std::string> out_of_reach(const std::string& path);

}  // namespace gauntlet
