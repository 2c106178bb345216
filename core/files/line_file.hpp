// Lines of text on disk: appended one by one, and read whole when a process opens the file.
#pragma once

#include "core/files/append_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

class LineFile {
 public:
  /// Reads what is there, then appends. The whole lines that were read are written again, as core/files/durable.hpp replaces a
  /// file: a last line that a crash cut short would be joined to the next one, and what an earlier process failed to sync may
  /// be missing on the disk though it can be read. Throws std::runtime_error.
  explicit LineFile(const std::string& path, Files& files = system_files());

  /// Those that were there, without their newlines.
  const std::vector<std::string>& found() const { return found_; }
  /// `line` has no newline. Throws std::runtime_error where it cannot be written whole.
  void append(const std::string& line) { file_->append(line + '\n'); }
  /// What was appended survives a power cut.
  void sync() { file_->sync(); }

 private:
  std::vector<std::string> found_;
  std::optional<AppendFile> file_;  // set by the constructor
};

}  // namespace gauntlet
