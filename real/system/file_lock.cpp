#include "real/system/file_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace gauntlet {
namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

Descriptor open_lock_file(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
}

bool take_lock(const Descriptor& file) {
  const struct flock whole = whole_file();
  return ::fcntl(file.get(), F_SETLK, &whole) == 0;
}

bool wait_for_lock(const Descriptor& file) {
  const struct flock whole = whole_file();
  int failed = 0;
  while ((failed = ::fcntl(file.get(), F_SETLKW, &whole)) != 0 && errno == EINTR) {
  }
  return failed == 0;
}

std::optional<pid_t> holder_of(const Descriptor& file) {
  struct flock holder = whole_file();
  const bool held = ::fcntl(file.get(), F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK;
  return held ? std::optional(holder.l_pid) : std::nullopt;
}

LockHolder process_with(const Descriptor& file) {
  const std::optional<pid_t> holder = holder_of(file);
  if (!holder) return {};
  LockHolder found{.pid = *holder, .process = pidfd_of(*holder)};
  if (found.process && holder_of(file) == holder) return found;
  return {};
}

}  // namespace gauntlet
