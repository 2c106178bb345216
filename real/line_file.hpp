// Lines of text on disk, as a drill keeps them: appended one by one, and read whole by the driver that takes over.
#pragma once

#include "real/agent/descriptor.hpp"

#include <string>
#include <vector>

namespace gauntlet {

class LineFile {
 public:
  /// Reads what is there, then appends. A last line that a crash cut short is removed: the next one would be joined to
  /// it, and both be lost. Throws std::runtime_error.
  explicit LineFile(const std::string& path);

  /// Those that were there, without their newlines.
  const std::vector<std::string>& found() const { return found_; }
  /// `line` has no newline. Throws std::runtime_error where it cannot be written whole.
  void append(const std::string& line);
  /// What was appended survives a power cut.
  void sync();

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::vector<std::string> found_;
  Descriptor file_;
};

}  // namespace gauntlet
