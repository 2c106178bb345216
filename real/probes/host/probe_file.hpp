// A file of a probe in a directory of somebody else: it has no name, so that it is gone with the process, however that ends.
#pragma once

#include "core/files/open_file.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// Functions that return an int return 0, or the errno of what failed.
class ProbeFile {
 public:
  /// Where the file system makes no file without a name (O_TMPFILE), the file gets one that is removed at once.
  ProbeFile(Files& files, const std::string& directory);
  ~ProbeFile();
  ProbeFile(const ProbeFile&) = delete;
  ProbeFile& operator=(const ProbeFile&) = delete;

  /// Why there is no file; 0 where there is one.
  int error() const { return error_; }
  int append(std::string_view bytes) { return file_->write(bytes); }
  int sync() { return file_->sync(); }
  /// Makes it empty.
  int clear() { return file_->truncate(0); }

  /// What is read next are its first bytes, from the disk where the system can forget what it has in memory.
  int rewind();
  /// Fills `into`; EIO where the file ends before.
  int read(std::span<char> into);
  /// The share of the file that is in memory, after it was forgotten; nothing where the system does not say.
  std::optional<double> cached_share(std::size_t size) const;

 private:
  Files& files_;
  std::string name_;  // not removed yet
  std::optional<OpenFile> file_;
  int error_ = 0;
};

}  // namespace gauntlet
