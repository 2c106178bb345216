// One command of this machine, such as a scheduler's or a probe of a host: no shell, its output, and a time that it may take.
#pragma once

#include "core/time.hpp"

#include <atomic>
#include <string>
#include <vector>

namespace gauntlet {

struct CommandResult {
  bool started = false;
  bool ok = false;       // it ended with exit code 0
  int code = 0;          // with which it ended, 128 and the signal that ended it; 0 where it has not
  bool stopped = false;  // it was ended because `stop` was set
  std::string output{};  // both streams; of a long one the first MiB
  std::string why{};     // where not ok, with the last line that it printed
};

/// The program is looked up in PATH, and gets this process's environment and `more` variables (NAME=value). After `timeout`, or once `stop` is set, its process
/// group is ended. Blocks; for threads that may wait.
CommandResult run_command(const std::vector<std::string>& arguments, Duration timeout,
                          const std::atomic<bool>* stop = nullptr, const std::vector<std::string>& more = {});

}  // namespace gauntlet
