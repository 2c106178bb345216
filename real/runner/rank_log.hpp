// The file of what the process of a rank prints. Bounded: a full file becomes NAME.1, in place of the one before.
#pragma once

#include "real/system/descriptor.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {

inline constexpr std::size_t kLogBytes = 16 * 1024 * 1024;  // of each of the two files

class RankLog {
 public:
  RankLog() = default;
  explicit RankLog(std::string path) : path_(std::move(path)) {}

  /// To append. Why not, or nothing.
  std::string open();
  /// A line without its newline. What a full disk does not take is dropped; the first time it returns why, else nothing.
  std::string write(std::string_view line);
  int descriptor() const { return file_.get(); }

 private:
  std::string path_;
  Descriptor file_;
  std::size_t bytes_ = 0;
  bool has_failed_ = false;
};

}  // namespace gauntlet
