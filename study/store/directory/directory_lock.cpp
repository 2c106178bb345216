#include "study/store/directory/directory_lock.hpp"

#include "core/system_advice.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace gauntlet {
namespace {

// Whether the file that was opened is still the one of that name: its last holder may have removed it meanwhile.
bool still_there(int file, const std::filesystem::path& name) {
  struct stat opened {
  }, named{};
  return fstat(file, &opened) == 0 && stat(name.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

}  // namespace

LockTaken DirectoryLock::take(const std::filesystem::path& directory, Files& files, mode_t mode) {
  constexpr int kTries = 100;  // each is lost only to another program that ends just then
  const std::filesystem::path name = directory / kLockFile;
  for (int i = 0; i < kTries; ++i) {
    const int error = files.make_directory(directory, mode);
    std::error_code none;
    if (error != 0 && !std::filesystem::is_directory(directory, none))
      return {.lock = std::nullopt, .held_by_other = false, .why = system_message(error)};
    const int file = open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 && errno == ENOENT) continue;
    if (file < 0) return {.lock = std::nullopt, .held_by_other = false, .why = system_message(errno)};
    DirectoryLock lock(file);
    if (flock(file, LOCK_EX | LOCK_NB) != 0) {
      const int why = errno;
      return {.lock = std::nullopt, .held_by_other = why == EWOULDBLOCK, .why = system_message(why)};
    }
    if (still_there(file, name)) return {.lock = std::move(lock), .held_by_other = false, .why = {}};
  }
  return {.lock = std::nullopt, .held_by_other = false, .why = "it is made and removed all the time"};
}

DirectoryLock::~DirectoryLock() {
  if (file_ >= 0) close(file_);
}

DirectoryLock::DirectoryLock(DirectoryLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

DirectoryLock& DirectoryLock::operator=(DirectoryLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

}  // namespace gauntlet
