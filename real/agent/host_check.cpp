#include "real/agent/probes.hpp"
#include "real/system/clock.hpp"
#include "real/system/descriptor.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace gauntlet {
namespace {

// Larger than a core's caches, small enough for a host whose memory the job has taken.
constexpr std::size_t kCopiedBytes = std::size_t{32} << 20;
constexpr int kCopies = 8;
constexpr std::size_t kFileBytes = std::size_t{1} << 20;

using Pattern = std::vector<std::uint64_t>;

// No word equals its neighbours, so that a shifted or a stuck word shows.
Pattern pattern(std::size_t bytes, std::uint64_t number) {
  Pattern out(bytes / sizeof(std::uint64_t));
  std::uint64_t word = number;
  for (std::uint64_t& each : out) each = word += 0x9e3779b97f4a7c15;
  return out;
}

/// Bytes per second, or 0 when a copy differs from its original.
double copy_rate(std::uint64_t number) {
  const Pattern from = pattern(kCopiedBytes, number);
  Pattern to(from.size(), 0);
  const std::int64_t began = monotonic_ns();
  for (int i = 0; i < kCopies; ++i) {
    std::memcpy(to.data(), from.data(), kCopiedBytes);
    // The copy is looked at, so that the compiler cannot leave it out.
    if (to[static_cast<std::size_t>(i)] != from[static_cast<std::size_t>(i)]) return 0;
    to[static_cast<std::size_t>(i)] = 0;
  }
  const double seconds = to_seconds(Duration(monotonic_ns() - began));
  std::memcpy(to.data(), from.data(), kCopiedBytes);
  if (to != from || !(seconds > 0)) return 0;
  return static_cast<double>(kCopiedBytes) * kCopies / seconds;
}

bool write_all(int file, const Pattern& what) {
  const char* next = reinterpret_cast<const char*>(what.data());
  std::size_t left = what.size() * sizeof what[0];
  while (left > 0) {
    const ssize_t written = ::write(file, next, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    next += written;
    left -= static_cast<std::size_t>(written);
  }
  return true;
}

bool read_all(int file, Pattern& what) {
  char* next = reinterpret_cast<char*>(what.data());
  std::size_t left = what.size() * sizeof what[0];
  while (left > 0) {
    const ssize_t count = ::read(file, next, left);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    next += count;
    left -= static_cast<std::size_t>(count);
  }
  return true;
}

std::string check_file(const std::string& directory, std::uint64_t number) {
  const std::string name =
      directory + "/host-check-" + std::to_string(::getpid()) + "-" + std::to_string(number);
  const auto failed = [&](const char* what) {
    const int error = errno;
    ::unlink(name.c_str());
    return name + ": " + what + ": " + std::strerror(error);
  };
  const Descriptor file(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return name + ": cannot be made: " + std::strerror(errno);
  const Pattern wanted = pattern(kFileBytes, number);
  if (!write_all(file.get(), wanted)) return failed("cannot be written");
  if (::fsync(file.get()) != 0) return failed("cannot be made durable");
  // From the device where the file system can forget what it has just written; else the check is of the cache.
  ::posix_fadvise(file.get(), 0, 0, POSIX_FADV_DONTNEED);
  Pattern found(wanted.size(), 0);
  if (::lseek(file.get(), 0, SEEK_SET) != 0 || !read_all(file.get(), found))
    return failed("cannot be read back");
  if (found != wanted) {
    ::unlink(name.c_str());
    return name + ": reads back differently from what was written";
  }
  if (::unlink(name.c_str()) != 0) return failed("cannot be removed");
  return {};
}

std::string check_process() {
  constexpr int kCode = 42;
  const pid_t pid = ::_Fork();
  if (pid == 0) ::_exit(kCode);
  if (pid < 0) return std::string("no process can be started: ") + std::strerror(errno);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return std::string("a process cannot be waited for: ") + std::strerror(errno);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != kCode) return "a process does not end as it should";
  return {};
}

constexpr std::array<HostProbe, 1> kProbes = {{{"host_check", host_check}}};

}  // namespace

std::span<const HostProbe> host_probes() { return kProbes; }

ProbeResult host_check(const std::string& directory, std::uint64_t number) {
  ProbeResult result;
  result.value = copy_rate(number);
  if (!(result.value > 0)) result.why = "memory: a copy differs from its original";
  if (result.why.empty()) result.why = check_file(directory, number);
  if (result.why.empty()) result.why = check_process();
  result.faulty = !result.why.empty();
  return result;
}

}  // namespace gauntlet
