// An agent that answers to this driver, as a process: it is waited for, and no error leaves it behind.
#pragma once

#include "core/time.hpp"
#include "real/system/descriptor.hpp"

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// How long somebody waits, and what cuts that short: once `hurry` is set, a fraction of a second is left.
class AgentPatience {
 public:
  explicit AgentPatience(Duration lasts, const std::atomic<bool>* hurry = nullptr);
  /// What is left of it, in slices as short as it takes to notice the hurry; zero where it is over.
  Duration slice();
  bool over() { return slice() == Duration::zero(); }

 private:
  std::chrono::steady_clock::time_point until_;
  const std::atomic<bool>* hurry_;  // nothing once it was noticed
};

/// What of this process's environment an agent and its ranks are given, as NAME=value.
std::vector<std::string> agent_environment();

/// Owns a process. Destroying it ends the process: SIGTERM, then SIGKILL when it does not obey.
class AgentProcess {
 public:
  AgentProcess() = default;
  /// Runs `arguments` (the first one is the program's path), standard output and error to `log`. Throws
  /// std::runtime_error where it cannot be started.
  AgentProcess(const std::vector<std::string>& arguments, const std::string& log);
  /// One that an earlier driver started, by its pidfd (agent_process in real/agent/place.hpp); none runs where that is
  /// empty.
  explicit AgentProcess(Descriptor handle) : handle_(std::move(handle)) {}
  /// A child of this process, and its pidfd. One without a pidfd cannot be watched, and is killed; -1: there is none.
  AgentProcess(Descriptor handle, pid_t child);
  ~AgentProcess() { end(); }
  AgentProcess(AgentProcess&& other) noexcept
      : handle_(std::move(other.handle_)), child_(std::exchange(other.child_, -1)) {}
  AgentProcess& operator=(AgentProcess&& other) noexcept {
    end();
    handle_ = std::move(other.handle_);
    child_ = std::exchange(other.child_, -1);
    return *this;
  }

  bool running() const { return static_cast<bool>(handle_); }
  /// Whether it ends by itself within the time; true where none runs.
  bool exits_within(Duration patience) const { return exits_within(AgentPatience(patience)); }
  bool exits_within(AgentPatience patience) const;
  /// After it was asked to leave: waits so long for it, then insists. False where it had to insist.
  bool wait_or_end(Duration patience, const std::atomic<bool>* hurry = nullptr);
  void end() { wait_or_end(Duration::zero()); }
  /// The same of several, which are waited for together.
  static void wait_or_end(std::span<AgentProcess* const> all, Duration patience,
                          const std::atomic<bool>* hurry);
  /// SIGTERM, and no wait.
  void terminate() const;
  /// SIGKILL, and no wait: it has had its time.
  void kill() const;
  /// Leaves it running: it obeys another driver now.
  void let_go();

 private:
  void forget();

  Descriptor handle_;  // a pidfd: whoever started it, and whatever becomes of its number
  pid_t child_ = -1;   // where it is ours to reap
};

}  // namespace gauntlet
