// Starting one process, from an agent that has other threads: between fork and exec only what is safe there.
#pragma once

#include "core/time.hpp"
#include "real/system/descriptor.hpp"
#include "real/system/rank_user.hpp"

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// What becomes of the process when the thread that started it dies.
enum class OnParentsDeath : std::uint8_t { die, stay };

struct Launch {
  std::string program;                   // a path
  std::vector<std::string> arguments;    // the first one is the name that the program sees
  std::vector<std::string> environment;  // NAME=value, all of it
  std::string directory;                 // empty: the agent's own
  int input = -1;                        // its standard input; -1: it reads nothing
  int output = -1, errors = -1;          // its standard output and error
  std::optional<RankUser> user{};        // whose process it is; nothing: this process's own user
  std::vector<int> namespaces{};         // that it enters first, by descriptors of theirs
  int group = -1;                        // a control group's cgroup.procs, which it joins
  OnParentsDeath parent = OnParentsDeath::die;
};

struct Launched {
  pid_t pid = -1;     // -1 where there is no process
  Descriptor handle;  // a pidfd: names this process even when its number is used again
  Descriptor report;  // closes without a word when the program runs
  std::string why;    // what failed here
};

/// The process leads a session of its own.
Launched launch(const Launch& what);

/// Why the program does not run; empty where it does. Nothing where that is not known within `patience`: what it needs may lie on a
/// file system that hangs.
std::optional<std::string> problem_of_start(const Launch& what, const Descriptor& report, Duration patience);

}  // namespace gauntlet
