// Files on a disk that fails at a chosen call, and loses in a power cut what was not synced.
#pragma once

#include "core/files/files.hpp"
#include "tests/files/lossy_disk.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gauntlet {

/// What goes wrong at which call, counted from 1.
struct DiskFault {
  enum class Kind {
    none,
    power_cut,    // this call and all later ones fail, and change nothing
    error,        // this call fails with `error`, where it can
    full_disk,    // this call and all later ones that need space fail with ENOSPC
    short_write,  // this call writes half of its bytes
    lying_sync,   // this call, a sync, brings half of the bytes to the disk, returns 0, and no later one brings the rest
    last_space,   // this call writes half of its bytes, and all later ones that need space fail with ENOSPC
  } kind = Kind::none;
  std::uint64_t at = 0;
  int error = 0;  // an errno
};

/// The calls that a disk sees, of a program or of SQLite.
class FaultyDisk {
 public:
  FaultyDisk(std::filesystem::path root, DiskFault fault) : disk(std::move(root)), fault_(fault) {}

  enum class Call { open, create, read, write, truncate, sync, close, rename, remove, make_directory };
  /// Counts a call: 0, or the errno with which it fails.
  int meet(Call call);
  /// Of a write that may go on: how many of so many bytes it writes.
  std::size_t bytes_written(std::size_t bytes) const;
  /// Whether this sync only says that it did.
  bool lies() const { return fault_.kind == DiskFault::Kind::lying_sync && calls() == fault_.at; }
  /// Whether this write is the one after which there is no space.
  bool takes_last_space() const { return is_short_ && fault_.kind == DiskFault::Kind::last_space; }

  std::uint64_t calls() const { return calls_.size(); }
  bool is_sync(std::uint64_t call) const { return calls_.at(call - 1) == Call::sync; }
  /// Whether the fault happened: not every call can fail in every way.
  bool has_failed() const { return has_failed_; }
  /// Nothing that a program says from now on is heard by anybody.
  bool is_off() const { return fault_.kind == DiskFault::Kind::power_cut && has_failed_; }

  LossyDisk disk;

 private:
  DiskFault fault_;
  std::vector<Call> calls_;
  bool has_failed_ = false, is_short_ = false;
};

/// Calls the system for everything under the root, so that reading needs nothing special, and nothing is ever synced: what a
/// power cut leaves is up to the disk.
class LossyFiles final : public Files {
 public:
  explicit LossyFiles(FaultyDisk& disk) : disk_(disk) {}

  Opened open(const std::string& path, int flags, mode_t mode) override;
  Transfer read(int descriptor, std::span<char> into) override;
  Transfer write(int descriptor, std::string_view bytes) override;
  int truncate(int descriptor, std::uint64_t size) override;
  int sync(int descriptor) override;
  int sync_file_system(int descriptor) override;
  int close(int descriptor) override;
  int rename(const std::string& from, const std::string& to) override;
  int exchange(const std::string& one, const std::string& other) override;
  int remove(const std::string& path) override;
  int make_directory(const std::string& path, mode_t mode) override;

 private:
  FaultyDisk& disk_;
  std::map<int, LossyDisk::Inode> open_;
};

}  // namespace gauntlet
