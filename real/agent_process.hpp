// An agent started by this driver: a process that is waited for, and that no error leaves behind.
#pragma once

#include "core/time.hpp"

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// Owns a child process. Destroying it ends the process: SIGTERM, then SIGKILL when it does not obey.
class AgentProcess {
 public:
  AgentProcess() = default;
  /// Runs `arguments` (the first one is the program's path), standard output and error to `log`. Throws
  /// std::runtime_error where it cannot be started.
  AgentProcess(const std::vector<std::string>& arguments, const std::string& log);
  ~AgentProcess() { end(); }
  AgentProcess(AgentProcess&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  AgentProcess& operator=(AgentProcess&& other) noexcept {
    end();
    pid_ = std::exchange(other.pid_, -1);
    return *this;
  }

  bool running() const { return pid_ >= 0; }
  /// Whether it ends by itself within the time; true where none runs.
  bool exits_within(Duration patience) const;
  /// After it was asked to leave: waits so long for it, then insists.
  void wait_or_end(Duration patience);
  void end() { wait_or_end(Duration::zero()); }
  /// Leaves it running: it obeys another driver now.
  void let_go() { pid_ = -1; }

 private:
  pid_t pid_ = -1;
};

}  // namespace gauntlet
