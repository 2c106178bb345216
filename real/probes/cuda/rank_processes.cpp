#include "real/probes/cuda/rank_processes.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <system_error>

extern char** environ;

namespace gauntlet::cuda {
namespace {

[[noreturn]] void fail(int error, const char* call) {
  throw std::system_error(error, std::generic_category(), call);
}

/// A process that its owner ends.
class Rank {
 public:
  explicit Rank(const RankCommand& command) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) fail(errno, "pipe");
    says_ = pipe[0];
    std::vector<std::string> words = command.words;
    std::string own = command.variable;
    const std::string name = own.substr(0, own.find('=') + 1);
    std::vector<char*> arguments, variables = {own.data()};
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    for (char** each = environ; *each != nullptr; ++each)
      if (std::string(*each).rfind(name, 0) != 0) variables.push_back(*each);
    variables.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
    const int error = ::posix_spawn(&process_, command.program.c_str(), &actions, nullptr, arguments.data(),
                                    variables.data());
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    if (error == 0) return;
    ::close(says_);
    fail(error, "posix_spawn");
  }
  Rank(const Rank&) = delete;
  Rank& operator=(const Rank&) = delete;
  ~Rank() {
    if (process_ > 0) {
      ::kill(process_, SIGKILL);
      static_cast<void>(wait());
    }
    ::close(says_);
  }

  int pipe() const { return says_; }
  bool ended() const { return process_ < 0; }
  const RankAnswer& answer() const { return answer_; }
  /// Reads what it has printed. At the end of its output, waits until the process has ended.
  void read() {
    std::array<char, 512> room{};
    const ssize_t got = ::read(says_, room.data(), room.size());
    if (got > 0) answer_.said.append(room.data(), static_cast<std::size_t>(got));
    if (got == 0) answer_.status = wait();
    if (got < 0 && errno != EINTR) fail(errno, "read");
  }

 private:
  int wait() {
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0)
      if (errno != EINTR) fail(errno, "waitpid");
    process_ = -1;
    return status;
  }

  pid_t process_ = -1;
  int says_ = -1;
  RankAnswer answer_;
};

}  // namespace

std::vector<RankAnswer> run_ranks(const std::vector<RankCommand>& commands) {
  std::vector<std::unique_ptr<Rank>> ranks;
  for (const RankCommand& each : commands) ranks.push_back(std::make_unique<Rank>(each));
  const auto ended = [](const std::unique_ptr<Rank>& rank) { return rank->ended(); };
  while (!std::all_of(ranks.begin(), ranks.end(), ended)) {
    std::vector<pollfd> pipes;
    for (const auto& rank : ranks)
      pipes.push_back({.fd = rank->ended() ? -1 : rank->pipe(), .events = POLLIN, .revents = 0});
    if (::poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR) fail(errno, "poll");
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if ((pipes[i].revents & (POLLIN | POLLHUP)) == 0) continue;
      ranks[i]->read();
      if (ranks[i]->ended() && ranks[i]->answer().status != 0) return {ranks[i]->answer()};
    }
  }
  std::vector<RankAnswer> answers;
  for (const auto& rank : ranks) answers.push_back(rank->answer());
  return answers;
}

}  // namespace gauntlet::cuda
