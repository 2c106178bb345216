#include "tests/real/agent_harness.hpp"

#include "real/agent/agent.hpp"
#include "real/agent/place.hpp"
#include "real/rank/lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

extern char** environ;

namespace gauntlet {
namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string program_under_test() {
  const char* program = std::getenv("GAUNTLET");
  if (program == nullptr) throw std::runtime_error("GAUNTLET names the built command; ctest sets it");
  return program;
}

}  // namespace

OwnDirectory::OwnDirectory() : name_((std::filesystem::temp_directory_path() / "agent-XXXXXX").string()) {
  if (::mkdtemp(name_.data()) == nullptr) fail("mkdtemp");
}
OwnDirectory::~OwnDirectory() {
  std::error_code ignored;
  std::filesystem::remove_all(name_, ignored);
}

PuppetTrainer::PuppetTrainer(const OwnDirectory& directory, std::uint32_t ranks)
    : directory_(directory.name()), program_(directory.file("trainer")) {
  // A FIFO that it opens for both never ends, whoever writes to it and leaves.
  std::ofstream(program_) << R"(#!/usr/bin/python3 -S
import os, re, socket, sys
rank = sys.argv[2]
channel = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
channel.connect(os.environ["GAUNTLET_RANK_SOCKET"])
for message in ("hello " + rank, "1 log pid %d" % os.getpid(), "1 log arguments " + " ".join(sys.argv[1:])):
    channel.send(message.encode())
strings = os.fdopen(os.open(")"
                          << directory_ << R"(/strings-" + rank, os.O_RDWR), "rb")
for line in strings:
    line = line.rstrip(b"\n")
    if line.startswith(b"leave "):
        sys.exit(int(line[6:]))
    elif re.match(rb"\d+ \w+", line):
        channel.send(line)
    else:
        print(line.decode("latin-1"), flush=True)
)";
  if (::chmod(program_.c_str(), 0700) != 0) fail("chmod");
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    if (::mkfifo(directory.file("strings-" + std::to_string(rank)).c_str(), 0600) != 0) fail("mkfifo");
  }
}

void PuppetTrainer::say(std::uint32_t rank, const std::string& line) const {
  const int strings = ::open((directory_ + "/strings-" + std::to_string(rank)).c_str(), O_WRONLY | O_CLOEXEC);
  const std::string text = line + "\n";
  const bool written = ::write(strings, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(strings);
  if (!written) fail("the trainer's strings");
}

Handle::Handle(pid_t pid) : descriptor_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
  if (descriptor_ < 0 && errno != ESRCH) fail("pidfd_open");
}
Handle::~Handle() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
bool Handle::exits_within(Duration patience) const {
  if (descriptor_ < 0) return true;
  pollfd polled = {.fd = descriptor_, .events = POLLIN, .revents = 0};
  return ::poll(&polled, 1, static_cast<int>(patience / std::chrono::milliseconds(1))) > 0;
}

BlockedAgent::BlockedAgent(const std::filesystem::path& directory)
    : program_(directory / "blocked-agent"), begun_(directory / "begun") {
  std::ofstream(program_) << "#!/bin/sh\necho $$ >>" << begun_ << "\nexec sleep 1000\n";
  std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
}

void BlockedAgent::await_begun() const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!std::filesystem::exists(begun_) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

bool BlockedAgent::is_gone() const {
  std::ifstream begun(begun_);
  int count = 0;
  for (pid_t pid = 0; begun >> pid; ++count)
    if (::kill(pid, 0) == 0 || errno != ESRCH) return false;
  return count > 0;
}

AgentUnderTest::AgentUnderTest(const OwnDirectory& directory, const std::string& trainer,
                               const std::vector<std::string>& more)
    : directory_(directory.name()) {
  static int count = 0;
  log_ = directory.file("agent-" + std::to_string(++count) + ".stderr");
  std::vector<std::string> texts = {program_under_test(), "agent",    "--host",    "2",
                                    "--directory",        directory_, "--trainer", trainer};
  texts.insert(texts.end(), more.begin(), more.end());
  const bool says_user = std::find(more.begin(), more.end(), "--run-as") != more.end();
  if (!says_user && ::geteuid() == 0) texts.insert(texts.end(), {"--run-as", "root"});
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, log_.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
  const int failed = ::posix_spawn(&pid_, arguments[0], &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  if (failed != 0) throw std::system_error(failed, std::generic_category(), texts[0]);
}
AgentUnderTest::~AgentUnderTest() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  exit_code();
}
void AgentUnderTest::limit_files(std::uint64_t bytes) const {
  const rlimit limit{.rlim_cur = bytes, .rlim_max = RLIM_INFINITY};
  ASSERT_EQ(::prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr), 0);
}

void AgentUnderTest::signal(int number) const { ::kill(pid_, number); }
int AgentUnderTest::exit_code() {
  if (!Handle(pid_).exits_within(kPatience)) throw std::runtime_error("the agent does not end: " + said());
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
std::string AgentUnderTest::said() const {
  std::ostringstream text;
  text << std::ifstream(log_).rdbuf();
  return text.str();
}
void AgentUnderTest::await_said(const std::string& text) const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (said().find(text) == std::string::npos) {
    if (std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error("the agent did not say \"" + text + "\", but: " + said());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}
std::string AgentUnderTest::address_file() const { return agent_address_file(directory_, 2); }
std::string AgentUnderTest::socket() const { return agent_socket(directory_, 2); }
long AgentUnderTest::most_memory_kib() const {
  std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  throw std::runtime_error("the agent's memory is not known");
}

DriverUnderTest::DriverUnderTest(AgentEndpoint agent, std::uint64_t epoch, AgentGreeting greeting)
    : link(std::move(agent), {epoch, std::move(greeting)},
           {.receive =
                [this](const AgentMessage& message) {
                  const std::lock_guard lock(mutex_);
                  messages_.push_back(message);
                  changed_.notify_all();
                },
            .lost =
                [this](const std::string& why) {
                  const std::lock_guard lock(mutex_);
                  losses_.push_back(why);
                  changed_.notify_all();
                }}) {}

void DriverUnderTest::attend(Duration lease) {
  std::string why;
  if (!link.connect(kPatience, why)) throw std::runtime_error(why);
  link.lease(lease);
}

AgentMessage DriverUnderTest::await_done_or_probed() {
  std::unique_lock lock(mutex_);
  const auto answers = [](const AgentMessage& each) {
    return std::holds_alternative<AgentDone>(each) || std::holds_alternative<AgentProbed>(each);
  };
  const auto first = [&] { return std::find_if(messages_.begin(), messages_.end(), answers); };
  if (!changed_.wait_for(lock, kPatience, [&] { return first() != messages_.end(); }))
    throw std::runtime_error("no answer came");
  const AgentMessage found = *first();
  messages_.erase(first());
  return found;
}

pid_t DriverUnderTest::await_pid(std::uint32_t rank) {
  const auto line = await<AgentRankLine>([&](const AgentRankLine& each) {
    return each.rank == rank && each.line.find(" log pid ") != std::string::npos;
  });
  return static_cast<pid_t>(std::stol(parse_rank_line(line.line)->text));
}

std::string DriverUnderTest::await_loss() {
  std::unique_lock lock(mutex_);
  if (!changed_.wait_for(lock, kPatience, [&] { return !losses_.empty(); }))
    throw std::runtime_error("no loss");
  EXPECT_EQ(losses_.size(), 1U);
  return losses_.front();
}

}  // namespace gauntlet
