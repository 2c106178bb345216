// The user's own training job, as a drill starts it on each host in place of the trainer of this project.
#pragma once

#include "core/time.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gauntlet {

/// What one process carries: one rank, or all ranks of its host, as torchrun does.
enum class ProcessPer : std::uint8_t { rank, host };

/// Regular expressions (RE2) that find a job's progress in the lines that its ranks print. The first group of the first
/// three is a step number. Empty: no line says it.
struct ProgressLines {
  std::string step;       // this step is complete
  std::string saved;      // the checkpoint of this step is durable
  std::string resumed;    // the state after this step is loaded
  std::string timed_out;  // a rank waited for another one longer than the collective timeout
  bool any() const { return !step.empty(); }
  friend bool operator==(const ProgressLines&, const ProgressLines&) = default;
};

/// Variables that each process of the job gets from the drill, by the names that torchrun gives them. A process that
/// carries a whole host gets no number of a rank.
inline constexpr std::array<std::string_view, 11> kTorchVariables = {
    "RANK",      "LOCAL_RANK", "WORLD_SIZE",      "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE",
    "ROLE_NAME", "ROLE_RANK",  "ROLE_WORLD_SIZE", "MASTER_ADDR",      "MASTER_PORT"};
/// And all whose names begin so: what Gauntlet tells a job, and the options of torchrun.
inline constexpr std::array<std::string_view, 3> kOwnPrefixes = {"GAUNTLET_", "TORCHELASTIC_", "PET_"};

struct JobCommand {
  std::vector<std::string> arguments;  // the first one is the program; empty: the trainer of this project
  std::string directory;               // relative to where the drill is started; empty: that directory
  ProcessPer per = ProcessPer::rank;
  std::string stop_signal = "TERM";           // what asks a process to end
  Duration grace = std::chrono::seconds(10);  // from the stop signal to SIGKILL
  std::vector<std::pair<std::string, std::string>>
      environment;  // variables by name, beside those that a drill sets
  ProgressLines lines;
  Duration step_time{};  // job.step_time: how long the first step of a start is taken to have lasted

  bool given() const { return !arguments.empty(); }
};

}  // namespace gauntlet
