#include "bench/agents/synthetic_hosts.hpp"

#include "bench/agents/synthetic_agents.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <utility>

namespace gauntlet {
namespace {

/// A synthetic agent is never ended before its process.
class NoHandle final : public AgentHandle {
 public:
  bool exits_within(Duration) override { return false; }
  bool wait_or_end(Duration, const std::atomic<bool>*) override { return true; }
  void terminate() override {}
  void kill() override {}
  void let_go() override {}
};

/// Each agent has a thread, and its stack is as large as that of the process may be.
class SmallStacks {
 public:
  SmallStacks() {
    ::getrlimit(RLIMIT_STACK, &before_);
    const rlimit small = {.rlim_cur = 512 << 10, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_STACK, &small);
  }
  ~SmallStacks() { ::setrlimit(RLIMIT_STACK, &before_); }
  SmallStacks(const SmallStacks&) = delete;
  SmallStacks& operator=(const SmallStacks&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

SyntheticHosts::SyntheticHosts(const Wanted& wanted, std::shared_ptr<PeerTrust> trust)
    : share_((wanted.agents + wanted.processes - 1) / wanted.processes), trust_(std::move(trust)) {
  for (std::uint32_t first = 0; first < wanted.agents; first += share_) spawn(wanted, first);
  for (const int pipe : pipes_) {
    std::FILE* lines = ::fdopen(pipe, "r");
    std::array<char, 64> line{};
    while (std::fgets(line.data(), line.size(), lines) != nullptr) {
      std::string address = line.data();
      address.pop_back();
      addresses_.push_back(std::move(address));
      if (addresses_.size() % share_ == 0 || addresses_.size() == wanted.agents) break;
    }
    std::fclose(lines);
  }
  if (addresses_.size() == wanted.agents) return;
  end_processes();
  throw std::runtime_error("only " + std::to_string(addresses_.size()) + " synthetic agents listen");
}

SyntheticHosts::~SyntheticHosts() { end_processes(); }

void SyntheticHosts::end_processes() {
  for (const pid_t each : processes_) ::kill(each, SIGKILL);
  for (const pid_t each : processes_) ::waitpid(each, nullptr, 0);
  processes_.clear();
}

void SyntheticHosts::spawn(const Wanted& wanted, std::uint32_t first) {
  std::vector<std::string> arguments = {"/proc/self/exe",
                                        "--serve",
                                        wanted.authority,
                                        std::to_string(first / share_),
                                        std::to_string(first),
                                        std::to_string(std::min(share_, wanted.agents - first)),
                                        std::to_string(wanted.period.count())};
  std::vector<char*> pointers;
  for (std::string& each : arguments) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe can be made");
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  const SmallStacks stacks;
  pid_t process = -1;
  const int error = ::posix_spawn(&process, arguments[0].c_str(), &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  ::close(ends[1]);
  pipes_.push_back(ends[0]);
  if (error != 0) throw std::runtime_error("a process of synthetic agents cannot be started");
  processes_.push_back(process);
}

std::unique_ptr<AgentHandle> SyntheticHosts::start(const AgentName&, bool, const std::atomic<bool>*) {
  return std::make_unique<NoHandle>();
}
std::unique_ptr<AgentHandle> SyntheticHosts::find(const AgentName&) { return std::make_unique<NoHandle>(); }

AgentEndpoint SyntheticHosts::endpoint(const AgentName& agent) const {
  return {
      .address = addresses_.at(agent.host), .host = host_of_process(agent.host / share_), .trust = trust_};
}

}  // namespace gauntlet
