#include "real/launch/agent_process.hpp"

#include "core/system_advice.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string_view>

extern char** environ;

namespace gauntlet {
namespace {

constexpr Duration kObeys = std::chrono::seconds(5);           // a SIGTERM: it stops its ranks first
constexpr Duration kHurried = std::chrono::milliseconds(200);  // an agent quits within milliseconds
constexpr Duration kNoticed = std::chrono::milliseconds(20);
constexpr Duration kLongest = std::chrono::hours(24);  // clocks and poll overflow beyond
constexpr Duration kDies = std::chrono::seconds(20);   // of a SIGKILL: longer only where the kernel holds it

void send_signal(const Descriptor& process, int signal) {
  syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0);  // fails where it is gone already
}

void reap(pid_t child) {
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void kill_and_reap(pid_t child) {
  ::kill(child, SIGKILL);
  reap(child);
}

}  // namespace

std::vector<std::string> agent_environment() {
  std::vector<std::string> kept;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('='));
    const bool sanitizer = name.ends_with("SAN_OPTIONS");
    const bool pod = name == "POD_IP" || name == "POD_NAME";  // who they are (real/agent/identity.hpp)
    if (name == "PATH" || name == "TMPDIR" || name == "LANG" || pod || sanitizer) kept.emplace_back(*each);
  }
  return kept;
}

AgentPatience::AgentPatience(Duration lasts, const std::atomic<bool>* hurry)
    : until_(std::chrono::steady_clock::now() + std::min(lasts, kLongest)), hurry_(hurry) {}

Duration AgentPatience::slice() {
  const auto now = std::chrono::steady_clock::now();
  if (hurry_ != nullptr && *hurry_) {
    until_ = std::min(until_, now + kHurried);
    hurry_ = nullptr;
  }
  const auto left = std::clamp<Duration>(until_ - now, Duration::zero(), kLongest);
  return hurry_ != nullptr ? std::min(left, kNoticed) : left;
}

AgentProcess::AgentProcess(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<char*> argv;
  for (const std::string& each : arguments) argv.push_back(const_cast<char*>(each.c_str()));
  argv.push_back(nullptr);
  std::vector<std::string> variables = agent_environment();
  std::vector<char*> environment;
  for (std::string& each : variables) environment.push_back(each.data());
  environment.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&files,
                                           STDERR_FILENO + 1);  // no recording, journal or socket of ours
  // A process group of its own: a Ctrl-C at the terminal is the driver's to answer.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  const int failed = posix_spawn(&child_, argv[0], &files, &attributes, argv.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  if (failed != 0) {
    child_ = -1;
    throw std::runtime_error(arguments[0] + ": cannot be started: " + system_message_with_advice(failed));
  }
  handle_ = pidfd_of(child_);
  if (!handle_) {
    const int why = errno;
    kill_and_reap(child_);
    throw std::runtime_error(arguments[0] + ": cannot be watched: " + std::strerror(why));
  }
}

AgentProcess::AgentProcess(Descriptor handle, pid_t child) : handle_(std::move(handle)), child_(child) {
  if (handle_ || child_ <= 0) return;
  kill_and_reap(child_);
  child_ = -1;
}

bool AgentProcess::exits_within(AgentPatience patience) const {
  if (!handle_) return true;
  for (;;) {
    const Duration slice = patience.slice();
    pollfd waited{.fd = handle_.get(), .events = POLLIN, .revents = 0};
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(slice);
    if (poll(&waited, 1, static_cast<int>(wait.count())) > 0) return true;
    if (slice == Duration::zero()) return false;
  }
}

bool AgentProcess::wait_or_end(Duration patience, const std::atomic<bool>* hurry) {
  const bool obeyed = exits_within(AgentPatience(patience, hurry));
  AgentProcess* const alone[] = {this};
  wait_or_end(alone, Duration::zero(), hurry);
  return obeyed;
}

void AgentProcess::wait_or_end(std::span<AgentProcess* const> all, Duration patience,
                               const std::atomic<bool>* hurry) {
  const auto wait = [all](AgentPatience until) {
    for (const AgentProcess* each : all)
      while (!each->exits_within(until.slice()) && !until.over()) {
      }
  };
  wait(AgentPatience(patience, hurry));
  for (const AgentProcess* each : all) {
    if (!each->exits_within(Duration::zero())) each->terminate();
  }
  wait(AgentPatience(kObeys, hurry));
  for (AgentProcess* each : all)
    if (!each->exits_within(Duration::zero())) each->kill();
  for (AgentProcess* each : all)
    if (each->handle_) each->forget();
}

void AgentProcess::terminate() const {
  if (!handle_) return;
  send_signal(handle_, SIGTERM);
  send_signal(handle_, SIGCONT);  // a process that is stopped obeys SIGKILL alone
}

void AgentProcess::kill() const {
  if (handle_) send_signal(handle_, SIGKILL);
}

/// Forgets a process that is ending. A process that the kernel does not end is left to the kernel: nothing waits for it.
void AgentProcess::forget() {
  const bool gone = exits_within(kDies);
  if (child_ >= 0 && gone) reap(child_);
  let_go();
}

void AgentProcess::let_go() {
  child_ = -1;
  handle_.reset();
}

}  // namespace gauntlet
