#include "real/system/launch.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>

namespace gauntlet {
namespace {

std::string failure(const std::string& what, int error) { return what + ": " + std::strerror(error); }

/// What the child says before it ends.
struct Report {
  enum class At : std::int32_t { directory, place, user, program };
  At at = At::program;
  std::int32_t error = 0;
};

// Everything that the child needs, made before the fork.
struct ForkedChild {
  pid_t parent;
  int input, output, errors, report;
  const char* directory;
  char* const* arguments;
  char* const* environment;
  const char* program;
  const RankUser* user;
  const int* namespaces;
  std::size_t namespace_count;
  int group;
  bool dies_with_parent;
};

/// Enters the namespaces and the control group.
bool enter_place(const ForkedChild& child) {
  for (std::size_t i = 0; i < child.namespace_count; ++i)
    if (::setns(child.namespaces[i], 0) != 0) return false;
  return child.group < 0 || ::write(child.group, "0", 1) == 1;
}

[[noreturn]] void become(const ForkedChild& child) {
  const auto fail = [&](Report::At at = Report::At::program) {
    const Report report{at, errno};
    static_cast<void>(::write(child.report, &report, sizeof report));
    ::_exit(127);
  };
  // So that what it starts is told from what the agent itself starts, whatever group it joins.
  if (::setsid() < 0) fail();
  if (!enter_place(child)) fail(Report::At::place);
  // Before the next line: the kernel forgets that at a change of user.
  if (child.user != nullptr && !become_user(*child.user)) fail(Report::At::user);
  if (child.dies_with_parent && ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail();
  if (child.dies_with_parent && ::getppid() != child.parent) ::_exit(127);  // it died before the line above
  // A rank needs no more rights than its agent has.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(child.input, STDIN_FILENO) < 0 || ::dup2(child.output, STDOUT_FILENO) < 0 ||
      ::dup2(child.errors, STDERR_FILENO) < 0) {
    fail();
  }
  // Whatever any library opened, gRPC's sockets among it.
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) fail();
  if (child.directory[0] != '\0' && ::chdir(child.directory) != 0) fail(Report::At::directory);
  ::execve(child.program, child.arguments, child.environment);
  fail();
  ::_exit(127);
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Launched launch(const Launch& what) {
  Launched launched;
  const Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  std::array<int, 2> report{};
  if (!null || ::pipe2(report.data(), O_CLOEXEC) != 0) {
    launched.why = failure("no pipe for a rank", errno);
    return launched;
  }
  launched.report = Descriptor(report[0]);
  const Descriptor report_end(report[1]);

  std::vector<std::string> argument_texts = what.arguments, environment_texts = what.environment;
  const std::vector<char*> arguments = pointers_to(argument_texts);
  const std::vector<char*> environment = pointers_to(environment_texts);
  const ForkedChild child = {.parent = ::getpid(),
                       .input = what.input < 0 ? null.get() : what.input,
                       .output = what.output,
                       .errors = what.errors,
                       .report = report_end.get(),
                       .directory = what.directory.c_str(),
                       .arguments = arguments.data(),
                       .environment = environment.data(),
                       .program = what.program.c_str(),
                       .user = what.user ? &*what.user : nullptr,
                       .namespaces = what.namespaces.data(),
                       .namespace_count = what.namespaces.size(),
                       .group = what.group,
                       .dies_with_parent = what.parent == OnParentsDeath::die};
  launched.pid = ::_Fork();  // without any library's handlers
  if (launched.pid == 0) become(child);
  if (launched.pid < 0) {
    launched.why = failure("no process for a rank", errno);
    return launched;
  }
  launched.handle = pidfd_of(launched.pid);
  if (!launched.handle) launched.why = failure("no handle of a rank", errno);
  return launched;
}

std::optional<std::string> problem_of_start(const Launch& what, const Descriptor& report, Duration patience) {
  pollfd polled{.fd = report.get(), .events = POLLIN, .revents = 0};
  const auto wait = std::chrono::ceil<std::chrono::milliseconds>(patience);
  if (::poll(&polled, 1, static_cast<int>(wait.count())) <= 0) return std::nullopt;
  Report said;
  ssize_t count = 0;
  do count = ::read(report.get(), &said, sizeof said);
  while (count < 0 && errno == EINTR);
  if (count <= 0) return "";
  const std::string as_user = what.user ? " as user " + what.user->name : "";
  if (said.at == Report::At::directory)
    return failure(what.directory + ": cannot be the working directory of a rank" + as_user, said.error);
  if (said.at == Report::At::place)
    return failure("no process can be started in its namespaces and control group", said.error);
  if (said.at == Report::At::user) return failure("no process can be started" + as_user, said.error);
  return failure(what.program + ": cannot be started" + as_user, said.error);
}

}  // namespace gauntlet
