#include "real/agent/ranks.hpp"

#include "core/contract.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <utility>

namespace gauntlet {
namespace {

constexpr std::size_t kLongestLine = 64 * 1024;
// Between two looks at everything else; a rank that prints without end must not delay a lease.
constexpr std::size_t kBytesAtOnce = 256 * 1024;
constexpr std::size_t kBytesAtExit = 4 * 1024 * 1024;

bool exited(const Descriptor& handle) {
  siginfo_t info{};
  return ::waitid(P_PIDFD, static_cast<id_t>(handle.get()), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // a full disk: the log ends here
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string failure(const std::string& what, int error) { return what + ": " + std::strerror(error); }

// Everything that the child needs, made before the fork: after it, only calls that are safe beside other threads' locks.
struct Child {
  pid_t parent;
  int null, output, log, report;
  char* const* arguments;
};

[[noreturn]] void become_trainer(const Child& child) {
  const auto fail = [&] {
    const int error = errno;
    static_cast<void>(::write(child.report, &error, sizeof error));
    ::_exit(127);
  };
  ::setpgid(0, 0);
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) fail();
  if (::getppid() != child.parent) ::_exit(127);  // it died before the line above
  // A rank needs no more rights than its agent has.
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail();
  for (int signal = 1; signal < NSIG; ++signal) ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (::dup2(child.null, STDIN_FILENO) < 0 || ::dup2(child.output, STDOUT_FILENO) < 0 ||
      ::dup2(child.log, STDERR_FILENO) < 0) {
    fail();
  }
  // Whatever any library opened, gRPC's sockets among it.
  if (::syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0) fail();
  ::execv(child.arguments[0], child.arguments);
  fail();
  ::_exit(127);
}

}  // namespace

RankProcesses::RankProcesses(std::string trainer, std::string directory)
    : trainer_(std::move(trainer)), directory_(std::move(directory)) {}

RankProcesses::~RankProcesses() { kill_and_reap(); }

std::string RankProcesses::start(std::uint32_t run, const std::vector<std::uint32_t>& ranks,
                                 const std::vector<std::string>& arguments) {
  expect(none(), "an older run is gone before the next one starts");
  run_ = run;
  std::vector<Descriptor> started;  // closes without a word when the trainer runs
  std::string why;
  for (const std::uint32_t rank : ranks) {
    why = launch(rank, arguments, started.emplace_back());
    if (!why.empty()) break;
  }
  for (std::size_t i = 0; why.empty() && i < started.size(); ++i) {
    int error = 0;
    ssize_t count = 0;
    do count = ::read(started[i].get(), &error, sizeof error);
    while (count < 0 && errno == EINTR);
    if (count > 0) why = failure(trainer_ + ": cannot be started", error);
  }
  if (!why.empty()) kill_and_reap();
  return why;
}

std::string RankProcesses::launch(std::uint32_t rank, const std::vector<std::string>& arguments,
                                  Descriptor& started) {
  const std::string log_file = directory_ + "/rank-" + std::to_string(rank) + ".log";
  Descriptor null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  Descriptor log(::open(log_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!log) return failure(log_file + ": cannot be written", errno);
  std::array<int, 2> output{}, report{};
  if (::pipe2(output.data(), O_CLOEXEC) != 0) return failure("no pipe for a rank", errno);
  Descriptor output_end(output[0]), rank_end(output[1]);
  if (::pipe2(report.data(), O_CLOEXEC) != 0) return failure("no pipe for a rank", errno);
  started = Descriptor(report[0]);
  Descriptor report_end(report[1]);
  if (!null || ::fcntl(output_end.get(), F_SETFL, O_NONBLOCK) != 0)
    return failure("no pipe for a rank", errno);

  std::vector<std::string> texts = {trainer_, "--rank", std::to_string(rank)};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);

  const Child child = {.parent = ::getpid(),
                       .null = null.get(),
                       .output = rank_end.get(),
                       .log = log.get(),
                       .report = report_end.get(),
                       .arguments = pointers.data()};
  const pid_t pid = ::_Fork();  // without any library's handlers
  if (pid == 0) become_trainer(child);
  if (pid < 0) return failure("no process for rank " + std::to_string(rank), errno);
  ::setpgid(pid, pid);  // the child does it too: whoever is first
  Descriptor handle = pidfd_of(pid);
  const int error = errno;
  const bool held = static_cast<bool>(handle);
  processes_.push_back({.rank = rank,
                        .pid = pid,
                        .handle = std::move(handle),
                        .output = std::move(output_end),
                        .log = std::move(log),
                        .partial = {}});
  return held ? std::string() : failure("no handle of rank " + std::to_string(rank), error);
}

void RankProcesses::stop() {
  for (Process& process : processes_) {
    process.ordered = true;
    ::kill(-process.pid, SIGKILL);
  }
}

void RankProcesses::kill_and_reap() {
  stop();
  for (const Process& process : processes_) {
    while (::waitpid(process.pid, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  processes_.clear();
}

std::string RankProcesses::signal(std::uint32_t rank, AgentSignal signal) {
  const auto found =
      std::find_if(processes_.begin(), processes_.end(), [&](const Process& p) { return p.rank == rank; });
  if (found == processes_.end() || exited(found->handle))
    return "rank " + std::to_string(rank) + " does not run here";
  const int number = signal == AgentSignal::kill ? SIGKILL : SIGSTOP;
  if (::syscall(SYS_pidfd_send_signal, found->handle.get(), number, nullptr, 0) == 0) return {};
  return failure("rank " + std::to_string(rank) + " cannot be signalled", errno);
}

std::vector<std::uint32_t> RankProcesses::alive() const {
  std::vector<std::uint32_t> out;
  for (const Process& process : processes_) out.push_back(process.rank);
  return out;
}

void RankProcesses::add_to(std::vector<pollfd>& polled) const {
  for (const Process& process : processes_) {
    polled.push_back({.fd = process.handle.get(), .events = POLLIN, .revents = 0});
    polled.push_back(
        {.fd = process.output.get(), .events = POLLIN, .revents = 0});  // -1, once closed, is passed over
  }
}

void RankProcesses::collect(const Listener& listener) {
  for (std::size_t i = 0; i < processes_.size();) {
    Process& process = processes_[i];
    const bool over = exited(process.handle);
    listen(process, listener, over ? kBytesAtExit : kBytesAtOnce);
    if (!over) {
      ++i;
      continue;
    }
    // A line that was cut short by the end is none: its numbers may be cut too.
    if (!process.partial.empty()) write_all(process.log.get(), process.partial + "\n");
    ::kill(-process.pid, SIGKILL);  // what it left behind; its own number is not free before it is reaped
    siginfo_t info{};
    ::waitid(P_PIDFD, static_cast<id_t>(process.handle.get()), &info, WEXITED);
    const Exit exit = {.run = run_,
                       .rank = process.rank,
                       .code = info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status,
                       .ordered = process.ordered};
    processes_.erase(processes_.begin() + static_cast<std::ptrdiff_t>(i));
    listener.on_exit(exit);
  }
}

void RankProcesses::listen(Process& process, const Listener& listener, std::size_t most) {
  std::array<char, 16 * 1024> bytes;
  std::size_t total = 0;
  while (process.output && total < most) {
    const ssize_t count = ::read(process.output.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      process.output.reset();
      return;
    }
    total += static_cast<std::size_t>(count);
    std::string_view text(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
         text.remove_prefix(end + 1)) {
      if (!process.too_long) process.partial += text.substr(0, end);
      hear(process, listener);
    }
    if (!process.too_long) process.partial += text;
    process.too_long = process.too_long || process.partial.size() > kLongestLine;
  }
}

void RankProcesses::hear(Process& process, const Listener& listener) {
  const std::string line = std::exchange(process.partial, {});
  const bool whole = !std::exchange(process.too_long, false);
  if (whole && listener.on_line(run_, process.rank, line)) return;
  write_all(process.log.get(), line + "\n");
}

}  // namespace gauntlet
