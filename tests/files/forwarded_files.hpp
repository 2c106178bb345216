// Files that pass every call on: a test changes the calls that it is about.
#pragma once

#include "core/files/files.hpp"

#include <string>

namespace gauntlet {

class ForwardedFiles : public Files {
 public:
  explicit ForwardedFiles(Files& below) : below_(below) {}

  Opened open(const std::string& path, int flags, mode_t mode) override {
    return below_.open(path, flags, mode);
  }
  Transfer read(int descriptor, std::span<char> into) override { return below_.read(descriptor, into); }
  Transfer write(int descriptor, std::string_view bytes) override { return below_.write(descriptor, bytes); }
  int truncate(int descriptor, std::uint64_t size) override { return below_.truncate(descriptor, size); }
  void begin_writeback(int descriptor, std::uint64_t at, std::size_t bytes) override {
    below_.begin_writeback(descriptor, at, bytes);
  }
  int sync(int descriptor) override { return below_.sync(descriptor); }
  int sync_file_system(int descriptor) override { return below_.sync_file_system(descriptor); }
  int close(int descriptor) override { return below_.close(descriptor); }
  int rename(const std::string& from, const std::string& to) override { return below_.rename(from, to); }
  int exchange(const std::string& one, const std::string& other) override {
    return below_.exchange(one, other);
  }
  int remove(const std::string& path) override { return below_.remove(path); }
  int make_directory(const std::string& path, mode_t mode) override {
    return below_.make_directory(path, mode);
  }

 private:
  Files& below_;
};

}  // namespace gauntlet
