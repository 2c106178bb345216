// Runs the ranks of one job, each in its own process. It needs no CUDA.
#pragma once

#include <string>
#include <vector>

namespace gauntlet::cuda {

struct RankCommand {
  std::string program;             // its path
  std::vector<std::string> words;  // its arguments; the first is the name of the program
  std::string variable;            // "NCCL_HOSTID=a": replaces the variable of that name
};

/// All that a rank printed, and how it ended (waitpid(2)).
struct RankAnswer {
  std::string said;
  int status = 0;
};

/// The answers of all ranks, in their order. Where one ends with another exit code than 0, the others wait for it in vain: they are killed,
/// and its answer alone is returned. Throws std::system_error where a process cannot be started; none is left then.
std::vector<RankAnswer> run_ranks(const std::vector<RankCommand>& commands);

}  // namespace gauntlet::cuda
