// The system calls that change files, behind one interface: a test puts a disk there that loses what was not synced.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace gauntlet {

/// The calls, one to one: each may be interrupted (EINTR) and may write less than it was given. `OpenFile` and the functions
/// of durable.hpp deal with that. A function that returns an int returns 0, or the errno of its failure.
class Files {
 public:
  virtual ~Files() = default;

  struct Opened {
    int descriptor = -1;
    int error = 0;
  };
  /// open(2). O_CLOEXEC is always set.
  virtual Opened open(const std::string& path, int flags, mode_t mode) = 0;

  struct Transfer {
    std::size_t bytes = 0;
    int error = 0;
  };
  virtual Transfer read(int descriptor, std::span<char> into) = 0;
  virtual Transfer write(int descriptor, std::string_view bytes) = 0;
  virtual int truncate(int descriptor, std::uint64_t size) = 0;
  /// sync_file_range(2): the disk begins to write these bytes, and nobody waits for it. It is a hint: `sync` reports what failed.
  virtual void begin_writeback(int /*descriptor*/, std::uint64_t /*at*/, std::size_t /*bytes*/) {}
  /// fsync(2): of a file its bytes, of a directory its names. A special file system that syncs nothing is not a failure.
  virtual int sync(int descriptor) = 0;
  /// syncfs(2): everything in the file system that holds the open file.
  virtual int sync_file_system(int descriptor) = 0;
  virtual int close(int descriptor) = 0;

  virtual int rename(const std::string& from, const std::string& to) = 0;
  /// Swaps two names at one instant (RENAME_EXCHANGE).
  virtual int exchange(const std::string& one, const std::string& other) = 0;
  /// remove(3): a file or an empty directory.
  virtual int remove(const std::string& path) = 0;
  virtual int make_directory(const std::string& path, mode_t mode) = 0;
};

/// Those of the system.
Files& system_files();

}  // namespace gauntlet
