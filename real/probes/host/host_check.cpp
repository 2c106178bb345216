#include "real/probes/host/host_check.hpp"

#include "real/probes/host/probe_file.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace gauntlet {
namespace {

// Larger than a core's caches, small enough for a host whose memory the job has taken.
constexpr std::size_t kCopiedBytes = std::size_t{32} << 20;
constexpr std::size_t kCheckedFileBytes = std::size_t{1} << 20;

using Words = std::vector<std::uint64_t>;

// No word equals its neighbours, so that a shifted or a stuck word shows.
Words unlike_words(std::size_t bytes) {
  Words out(bytes / sizeof(std::uint64_t));
  std::uint64_t word = static_cast<std::uint64_t>(::getpid());
  for (std::uint64_t& each : out) each = word += 0x9e3779b97f4a7c15;
  return out;
}

std::string check_memory() {
  const Words from = unlike_words(kCopiedBytes);
  return Words(from) == from ? "" : "memory: a copy differs from its original";
}

std::string check_file(const ProbedHost& host) {
  const auto failed = [&](const char* what, int error) {
    return "a file in " + host.directory + " cannot be " + what + ": " + std::strerror(error);
  };
  ProbeFile file(*host.files, host.directory);
  if (file.error() != 0) return failed("made", file.error());
  const Words wanted = unlike_words(kCheckedFileBytes);
  if (const int error =
          file.append(std::string_view(reinterpret_cast<const char*>(wanted.data()), kCheckedFileBytes)))
    return failed("written", error);
  if (const int error = file.sync()) return failed("made durable", error);
  Words found(wanted.size(), 0);
  int error = file.rewind();
  if (error == 0) error = file.read(std::span(reinterpret_cast<char*>(found.data()), kCheckedFileBytes));
  if (error != 0) return failed("read back", error);
  return found == wanted ? ""
                         : "a file in " + host.directory + " reads back differently from what was written";
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

}  // namespace

ProbeSample probe_host_check(const ProbedHost& host) {
  ProbeSample sample;
  for (const std::string& wrong : {check_memory(), check_file(host), check_process()})
    if (!wrong.empty()) sample.errors.push_back(wrong);
  return sample;
}

}  // namespace gauntlet
