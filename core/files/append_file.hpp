// A file that only grows. It goes on where it was whole, and no symbolic link leads its writer elsewhere.
#pragma once

#include "core/files/open_file.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gauntlet {

/// Every function throws std::runtime_error where the system refuses, and from then on: after a failed sync nobody knows which
/// bytes are on the disk, and after a part of a write the next one would be joined to it.
class AppendFile {
 public:
  /// A new file. It is an error if something has that name, also a symbolic link that leads nowhere.
  explicit AppendFile(const std::string& path, Files& files = system_files(), mode_t mode = 0666);
  /// A file that exists goes on after `whole_bytes`. It must be a regular file of this user: a link in a directory that others
  /// can write to may be theirs.
  AppendFile(const std::string& path, std::uint64_t whole_bytes, Files& files = system_files());
  /// A file that exists, as above, goes on after all that it holds, whoever else appends; else it is a new one.
  struct AtItsEnd {};
  AppendFile(const std::string& path, AtItsEnd, Files& files = system_files());

  /// The death of this process loses nothing of it; a power cut may.
  void append(std::string_view bytes);
  /// What was appended, and the name of the file, survive a power cut.
  void sync();

 private:
  /// Returns its size.
  std::uint64_t check_opened();
  void check(int error);
  [[noreturn]] void fail(const std::string& why) const;

  Files& files_;
  std::string path_;
  OpenFile file_;
  int failed_ = 0;  // the errno of the first failure
  bool name_is_safe_ = false;
};

}  // namespace gauntlet
