// An open file with one owner, whose calls do all that they are asked for or say why not.
#pragma once

#include "core/files/files.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gauntlet {

/// Every function that returns an int returns 0, or the errno of what failed.
class OpenFile {
 public:
  /// `flags` and `mode` are those of open(2).
  OpenFile(Files& files, const std::string& path, int flags, mode_t mode = 0666);
  ~OpenFile() { static_cast<void>(close()); }
  OpenFile(OpenFile&& other) noexcept;
  OpenFile& operator=(OpenFile&& other) = delete;

  /// Why it could not be opened; 0 where it is open.
  int error() const { return error_; }
  int descriptor() const { return descriptor_; }
  bool is_regular() const;

  /// Reads from here to the end.
  int read(std::string& into);
  int write(std::string_view bytes);
  int truncate(std::uint64_t size);
  /// The disk begins to write these bytes, which `sync` then finds written.
  void begin_writeback(std::uint64_t at, std::size_t bytes) {
    files_.begin_writeback(descriptor_, at, bytes);
  }
  /// Brings its bytes to the disk; of a directory, its names.
  int sync();
  int sync_file_system();
  /// Nothing where it is closed already.
  int close();

 private:
  Files& files_;
  int descriptor_;
  int error_;
};

}  // namespace gauntlet
