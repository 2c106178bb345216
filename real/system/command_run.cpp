#include "real/system/command_run.hpp"

#include "core/quantity.hpp"
#include "real/system/descriptor.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string_view>
#include <utility>

extern char** environ;

namespace gauntlet {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

// The longest that is read whole: a sample of 4,096 cores (real/probes/suite/task.hpp) takes 700 KB.
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::size_t kMostLastLine = 4096;
constexpr Duration kStopNoticed = std::chrono::milliseconds(100);  // how soon a request to stop is noticed
constexpr Duration kObeysTerm = std::chrono::seconds(1);           // a SIGTERM

std::string last_line(const std::string& output) {
  const std::size_t end = output.find_last_not_of(" \n\r\t");
  if (end == std::string::npos) return "";
  const std::size_t begin = output.find_last_of('\n', end);
  return output.substr(begin == std::string::npos ? 0 : begin + 1,
                       end - (begin == std::string::npos ? 0 : begin + 1) + 1);
}

struct CommandOutput {
  std::string first, last;
  bool more = false;  // than `first` holds

  void add(std::string_view bytes) {
    const std::size_t room = more ? 0 : kMostOutput - first.size();
    first.append(bytes.substr(0, room));
    if (!more && bytes.size() > room) {
      more = true;
      // A line that is cut off would read as another one.
      if (const std::size_t end = first.find_last_of('\n'); end != std::string::npos) first.erase(end + 1);
    }
    last.append(bytes);
    if (last.size() > 2 * kMostLastLine) last.erase(0, last.size() - kMostLastLine);
  }
};

/// A child in a process group of its own, and its output.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const std::vector<std::string>& more) {
    int ends[2] = {-1, -1};
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      failed_ = errno;
      return;
    }
    output_ = Descriptor(ends[0]);
    const Descriptor theirs(ends[1]);
    ::fcntl(output_.get(), F_SETFL, O_NONBLOCK);
    std::vector<char*> argv;
    for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
    argv.push_back(nullptr);
    std::vector<char*> variables;
    for (const std::string& each : more) variables.push_back(const_cast<char*>(each.c_str()));
    for (char** each = environ; *each != nullptr; ++each) variables.push_back(*each);
    variables.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, theirs.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, theirs.get(), STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    failed_ = ::posix_spawnp(&pid_, argv[0], &files, &attributes, argv.data(), variables.data());
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (failed_ != 0) pid_ = -1;
    if (pid_ > 0) handle_ = pidfd_of(pid_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (pid_ <= 0) return;
    ::kill(-pid_, SIGKILL);  // also of what it left behind in its group
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
  }

  int failed() const { return failed_; }

  /// Whether it has ended by then; reads its output meanwhile. A grandchild that keeps the pipe open is not waited for.
  bool ended_by(SteadyTime until, const std::atomic<bool>* stop, CommandOutput& output) {
    while (true) {
      const bool ended = has_ended();
      read(output);
      if (ended) return true;
      const auto left = std::min<Duration>(until - std::chrono::steady_clock::now(), kStopNoticed);
      if (left <= Duration::zero() || (stop != nullptr && *stop)) return false;
      std::array<pollfd, 2> polled = {{{.fd = open_ ? output_.get() : -1, .events = POLLIN, .revents = 0},
                                       {.fd = handle_.get(), .events = POLLIN, .revents = 0}}};
      ::poll(polled.data(), polled.size(), static_cast<int>(left / std::chrono::milliseconds(1)) + 1);
    }
  }
  void signal(int number) const { ::kill(-pid_, number); }
  /// After it has ended.
  int exit_code() {
    while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
    }
    ::kill(-pid_, SIGKILL);
    pid_ = -1;
    return WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  }

 private:
  bool has_ended() const {
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == pid_;
  }
  void read(CommandOutput& output) {
    std::array<char, 4096> bytes{};
    ssize_t got = 0;
    while (open_ && (got = ::read(output_.get(), bytes.data(), bytes.size())) > 0)
      output.add({bytes.data(), static_cast<std::size_t>(got)});
    if (got == 0) open_ = false;
  }

  Descriptor output_, handle_;
  pid_t pid_ = -1;
  int failed_ = 0;
  int status_ = 0;
  bool open_ = true;
};

}  // namespace

CommandResult run_command(const std::vector<std::string>& arguments, Duration timeout,
                          const std::atomic<bool>* stop, const std::vector<std::string>& more) {
  CommandResult result;
  Child child(arguments, more);
  if (child.failed() != 0) {
    result.why = arguments.front() + " cannot be started: " + std::strerror(child.failed());
    return result;
  }
  result.started = true;
  CommandOutput output;
  const auto said = [&] {
    const std::string last = last_line(output.last);
    return last.empty() ? std::string("; it said nothing") : "; it last said: " + last;
  };
  if (!child.ended_by(std::chrono::steady_clock::now() + timeout, stop, output)) {
    child.signal(SIGTERM);
    child.ended_by(std::chrono::steady_clock::now() + kObeysTerm, nullptr, output);
    result.output = std::move(output.first);
    result.stopped = stop != nullptr && *stop;
    result.why = arguments.front() +
                 (result.stopped ? std::string(" was stopped") : " did not end within " + to_text(timeout)) +
                 said();
    return result;
  }
  result.code = child.exit_code();
  result.ok = result.code == 0;
  if (!result.ok) result.why = arguments.front() + " ended with " + std::to_string(result.code) + said();
  result.output = std::move(output.first);
  return result;
}

}  // namespace gauntlet
