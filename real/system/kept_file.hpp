// A plain file that is read again and again, as counters are: it is opened once.
#pragma once

#include "real/system/descriptor.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace gauntlet {

/// Opens what is a plain file of that name; nothing else is waited for, and no link is followed. Empty where it is none.
Descriptor open_plain_file(const std::string& path);

class KeptFile {
 public:
  explicit KeptFile(std::string path) : path_(std::move(path)) {}

  /// Its bytes from the beginning, as many as there is room for. Empty where it cannot be read; the next call opens it again.
  std::string_view read(std::span<char> room) const;

 private:
  std::string path_;
  mutable Descriptor file_;
};

}  // namespace gauntlet
