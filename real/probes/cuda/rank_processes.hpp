// Ranks that need each other, each in a process of its own. CUDA has no part in it.
#pragma once

#include <string>
#include <vector>

namespace gauntlet::cuda {

struct RankCommand {
  std::string program;             // its path
  std::vector<std::string> words;  // the first is what it is called
  std::string variable;            // "NCCL_HOSTID=a", in place of that of this process
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
