#include "real/checkpoint/host_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace gauntlet {
namespace {

/// The file there if it has so many bytes, or a new one, all of it allocated. Only this user may read it. -1 with an errno in `error` where it cannot
/// be made.
int open_shared_file(const std::string& path, std::size_t bytes, int& error) {
  struct stat found {};
  const int old = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (old >= 0 && ::fstat(old, &found) == 0 && S_ISREG(found.st_mode) && found.st_uid == ::geteuid() &&
      found.st_size == static_cast<off_t>(bytes))
    return old;
  if (old >= 0) ::close(old);
  ::unlink(path.c_str());
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  // A sparse file could run out of space later, which a write to its memory would meet as SIGBUS.
  error = file < 0 ? errno : ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (file < 0 || error == 0) return file;
  ::close(file);
  ::unlink(path.c_str());
  return -1;
}

/// Uses huge pages where the system has them: with small pages a copy spends time on the translation of addresses.
void fill_with_pages(void* memory, std::size_t bytes) {
  static_cast<void>(::madvise(memory, bytes, MADV_HUGEPAGE));
  // Linux before 5.14 has no MADV_POPULATE_WRITE.
  if (::madvise(memory, bytes, MADV_POPULATE_WRITE) != 0 && errno == EINVAL) std::memset(memory, 0, bytes);
}

Problem weaker(std::size_t bytes, const std::string& what, int error, const std::string& suggestion) {
  return {.what = std::to_string(bytes) + " bytes for a copy of the state",
          .why = what + " (" + std::generic_category().message(error) + ")",
          .suggestion = suggestion};
}

}  // namespace

HostMemory::Block LockedMemory::allocate(std::size_t bytes) {
  Block block;
  int error = 0;
  const int file = path_.empty() ? -1 : open_shared_file(path_, bytes, error);
  if (error != 0)
    block.problem = weaker(bytes, "are not kept in " + path_ + ", so the copy ends with this process", error,
                           "free some space there");
  const bool shared = file >= 0;
  const int flags = shared ? MAP_SHARED | MAP_POPULATE : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, file, 0);
  error = errno;
  if (shared) ::close(file);
  if (memory == MAP_FAILED)
    throw std::system_error(error, std::generic_category(), "memory for a checkpoint");
  if (!shared) fill_with_pages(memory, bytes);
  block.bytes = {static_cast<std::byte*>(memory), bytes};
  if (::mlock(memory, bytes) != 0)
    block.problem = weaker(bytes, "cannot be locked in memory", errno,
                           "raise the limit of locked memory (ulimit -l, RLIMIT_MEMLOCK)");
  return block;
}

void LockedMemory::release(std::span<std::byte> bytes) { ::munmap(bytes.data(), bytes.size()); }

}  // namespace gauntlet
