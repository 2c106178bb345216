#include "flow/client.hpp"

#include "core/system_advice.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace gauntlet {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostAnswer = std::size_t{1}
                                    << 28;  // bytes; a time for each of ten million flows has 200 MB

[[noreturn]] void fail(const FlowProgram& program, const std::string& why) {
  throw FlowFailure(program.path + " " + why);
}

[[noreturn]] void fail(const FlowProgram& program, const char* call, int error) {
  fail(program, fmt::format("could not be started: {}: {}", call, system_message_with_advice(error)));
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int get() const { return number_; }

 private:
  int number_;
};

/// A file in memory, so that nobody waits for a reader.
Descriptor memory(const FlowProgram& program, std::string_view text) {
  Descriptor file(memfd_create("gauntlet-flow", MFD_CLOEXEC));
  if (file.get() < 0) fail(program, "memfd_create", errno);
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t more = ::write(file.get(), text.data() + written, text.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) fail(program, "write", errno);
    written += static_cast<std::size_t>(more);
  }
  ::lseek(file.get(), 0, SEEK_SET);
  return file;
}

/// The last line that is not empty.
std::string last_line(const Descriptor& file) {
  std::array<char, 4096> end;
  const off_t size = std::max<off_t>(::lseek(file.get(), 0, SEEK_END), 0);
  const off_t from = std::max<off_t>(size - static_cast<off_t>(end.size()), 0);
  const ssize_t got = ::pread(file.get(), end.data(), end.size(), from);
  std::string_view text(end.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  text = text.substr(0, text.find_last_not_of('\n') + 1);
  return std::string(text.substr(text.find_last_of('\n') + 1));
}

/// The running program; killed and reaped at the latest when it goes.
class Child {
 public:
  Child(const FlowProgram& program, const Descriptor& in, const Descriptor& out, const Descriptor& err) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in.get(), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, err.get(), STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    std::array<char*, 2> arguments = {const_cast<char*>(program.path.c_str()), nullptr};
    const int failed = posix_spawn(&pid_, program.path.c_str(), &files, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&files);
    if (failed != 0) fail(program, "posix_spawn", failed);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    wait(0);
  }

  /// Its status once it has ended; nothing when it still runs at `until`.
  std::optional<int> ended(Clock::time_point until) {
    while (!wait(WNOHANG)) {
      if (Clock::now() >= until) return std::nullopt;
      ::usleep(1000);
    }
    return status_;
  }

 private:
  bool wait(int how) {
    pid_t done = 0;
    do done = ::waitpid(pid_, &status_, how);
    while (done < 0 && errno == EINTR);
    if (done == 0) return false;
    pid_ = -1;
    return true;
  }

  pid_t pid_ = -1;
  int status_ = 0;
};

/// Everything until the other end closes; nothing when that is not by `until`.
std::optional<std::string> read_all(const FlowProgram& program, const Descriptor& from,
                                    Clock::time_point until) {
  std::string out;
  std::array<char, 65536> part;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return std::nullopt;
    pollfd ready = {.fd = from.get(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000))) <= 0) continue;
    const ssize_t got = ::read(from.get(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(program, fmt::format("could not be read: {}", std::strerror(errno)));
    if (got == 0) return out;
    out.append(part.data(), static_cast<std::size_t>(got));
    if (out.size() > kMostAnswer) fail(program, "answers without end; build it again");
  }
}

void check(const FlowProgram& program, int status, const Descriptor& errors) {
  if (WIFSIGNALED(status))
    fail(program, fmt::format("was killed by signal {} ({}); is there memory enough?", WTERMSIG(status),
                              strsignal(WTERMSIG(status))));
  if (WEXITSTATUS(status) == 0) return;
  const std::string said = last_line(errors);
  fail(program, fmt::format("ended with {}{}{}", WEXITSTATUS(status), said.empty() ? "" : ": ", said));
}

std::string& given_program() {
  static std::string path;
  return path;
}

}  // namespace

void set_flow_program(const std::string& path) { given_program() = path; }

FlowProgram flow_program() {
  if (!given_program().empty()) return {.path = given_program()};
  std::error_code none;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", none);
  return {.path = (self.parent_path() / "gauntlet-flow").string()};
}

std::vector<FlowTimes> solve(const FlowProgram& program, const FlowProblem& problem) {
  if (::access(program.path.c_str(), X_OK) != 0)
    fail(program,
         fmt::format("cannot be run ({}), and the network \"simgrid\" is computed by it; install the package "
                     "libsimgrid-dev and build again, or take the network \"max-min\"",
                     std::strerror(errno)));
  const Clock::time_point until = Clock::now() + program.deadline;
  const Descriptor in = memory(program, to_text(problem)), errors = memory(program, "");
  std::array<int, 2> ends;
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail(program, "pipe2", errno);
  const Descriptor out(ends[0]);
  Descriptor theirs(ends[1]);
  Child child(program, in, theirs, errors);
  theirs.close();
  const std::optional<std::string> answer = read_all(program, out, until);
  const std::optional<int> status = answer ? child.ended(until) : std::nullopt;
  if (!status)
    fail(program,
         fmt::format("did not answer within {} s; ask for fewer GPUs, or take the network \"max-min\"",
                     std::chrono::duration<double>(program.deadline).count()));
  check(program, *status, errors);
  try {
    return parse_answer(*answer, problem);
  } catch (const FlowTextError& error) {
    fail(program,
         fmt::format("answered what cannot be read: line {}: {}; build it again", error.line, error.why));
  }
}

}  // namespace gauntlet
