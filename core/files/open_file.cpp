#include "core/files/open_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::size_t kReadBytes = 1 << 16;  // at once

/// Calls again while a signal interrupts.
template <class Call>
int uninterrupted(const Call& call) {
  int error = EINTR;
  while (error == EINTR) error = call();
  return error;
}

Files::Opened open_uninterrupted(Files& files, const std::string& path, int flags, mode_t mode) {
  Files::Opened opened;
  opened.error = EINTR;
  while (opened.error == EINTR) opened = files.open(path, flags, mode);
  return opened;
}

}  // namespace

OpenFile::OpenFile(Files& files, const std::string& path, int flags, mode_t mode) : files_(files) {
  const Files::Opened opened = open_uninterrupted(files, path, flags, mode);
  descriptor_ = opened.error == 0 ? opened.descriptor : -1;
  error_ = opened.error;
}

OpenFile::OpenFile(OpenFile&& other) noexcept
    : files_(other.files_), descriptor_(std::exchange(other.descriptor_, -1)), error_(other.error_) {}

bool OpenFile::is_regular() const {
  struct stat found {};
  return ::fstat(descriptor_, &found) == 0 && S_ISREG(found.st_mode);
}

int OpenFile::read(std::string& into) {
  std::vector<char> part(kReadBytes);
  while (true) {
    const Files::Transfer done = files_.read(descriptor_, part);
    if (done.error == EINTR) continue;
    if (done.error != 0) return done.error;
    if (done.bytes == 0) return 0;
    into.append(part.data(), done.bytes);
  }
}

int OpenFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const Files::Transfer done = files_.write(descriptor_, bytes);
    if (done.error != 0 && done.error != EINTR) return done.error;
    if (done.error == 0) bytes.remove_prefix(done.bytes);
  }
  return 0;
}

int OpenFile::truncate(std::uint64_t size) {
  return uninterrupted([&] { return files_.truncate(descriptor_, size); });
}

int OpenFile::sync() {
  return uninterrupted([&] { return files_.sync(descriptor_); });
}

int OpenFile::sync_file_system() {
  return uninterrupted([&] { return files_.sync_file_system(descriptor_); });
}

int OpenFile::close() {
  if (descriptor_ < 0) return 0;
  const int error = files_.close(std::exchange(descriptor_, -1));
  return error == EINTR ? 0 : error;  // on Linux the descriptor is closed all the same: close(2)
}

}  // namespace gauntlet
