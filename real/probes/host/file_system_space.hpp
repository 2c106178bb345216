// How much room a file system has.
#pragma once

#include <cstdint>
#include <string>

namespace gauntlet {

struct FileSystemSpace {
  std::uint64_t bytes = 0, available = 0;     // available: to users that are not root
  std::uint64_t inodes = 0, free_inodes = 0;  // inodes 0: the file system makes them as they are needed
  bool in_memory = false;                     // there is no disk below it
  int error = 0;                              // an errno; the rest says nothing then
};

/// Of the file system that holds `directory`.
FileSystemSpace space_of(const std::string& directory);

}  // namespace gauntlet
