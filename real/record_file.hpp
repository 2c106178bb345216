// The file of a drill's recording: it grows as the drill goes, and no symbolic link leads anyone elsewhere.
#pragma once

#include "real/agent/descriptor.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gauntlet {

/// Every function throws std::runtime_error where the system refuses. What is written is the system's at once: the death
/// of this process loses nothing.
class RecordFile {
 public:
  /// A new file; one of that name is an error, and so is a link that leads nowhere.
  explicit RecordFile(const std::string& path);
  /// One that is there goes on after so many bytes. It must be a regular file of this user: a link in a directory that
  /// others can write to may be theirs.
  RecordFile(const std::string& path, std::uint64_t whole_bytes);

  void append(std::string_view bytes);

 private:
  [[noreturn]] void fail(const std::string& why) const;

  std::string path_;
  Descriptor file_;
};

}  // namespace gauntlet
