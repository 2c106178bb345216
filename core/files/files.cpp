#include "core/files/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace gauntlet {
namespace {

int result(int code) { return code == 0 ? 0 : errno; }

Files::Transfer transferred(ssize_t count) {
  if (count < 0) return {.bytes = 0, .error = errno};
  return {.bytes = static_cast<std::size_t>(count), .error = 0};
}

int synced(int code) { return code == 0 || errno == EINVAL ? 0 : errno; }

class SystemFiles final : public Files {
 public:
  Opened open(const std::string& path, int flags, mode_t mode) override {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    return {.descriptor = descriptor, .error = descriptor < 0 ? errno : 0};
  }
  Transfer read(int descriptor, std::span<char> into) override {
    return transferred(::read(descriptor, into.data(), into.size()));
  }
  Transfer write(int descriptor, std::string_view bytes) override {
    return transferred(::write(descriptor, bytes.data(), bytes.size()));
  }
  int truncate(int descriptor, std::uint64_t size) override {
    return result(::ftruncate(descriptor, static_cast<off_t>(size)));
  }
  void begin_writeback(int descriptor, std::uint64_t at, std::size_t bytes) override {
    ::sync_file_range(descriptor, static_cast<off_t>(at), static_cast<off_t>(bytes), SYNC_FILE_RANGE_WRITE);
  }
  int sync(int descriptor) override { return synced(::fsync(descriptor)); }
  int sync_file_system(int descriptor) override { return synced(::syncfs(descriptor)); }
  int close(int descriptor) override { return result(::close(descriptor)); }
  int rename(const std::string& from, const std::string& to) override {
    return result(::rename(from.c_str(), to.c_str()));
  }
  int exchange(const std::string& one, const std::string& other) override {
    return result(::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE));
  }
  int remove(const std::string& path) override { return result(::remove(path.c_str())); }
  int make_directory(const std::string& path, mode_t mode) override {
    return result(::mkdir(path.c_str(), mode));
  }
};

}  // namespace

Files& system_files() {
  static SystemFiles files;
  return files;
}

}  // namespace gauntlet
