// gauntlet-cuda-probe: one CUDA probe on every GPU of this host, as one line of JSON. Gauntlet starts it in a process of its own.
#include "real/probes/cuda/measurements.hpp"
#include "real/probes/cuda/probes.hpp"
#include "real/probes/cuda/shared_ranks.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int kSuccess = 0, kFailed = 1, kWrongInput = 2;

int usage(std::FILE* to, int code) {
  std::fputs(
      "gauntlet-cuda-probe NAME: examine the GPUs of this host; prints what was measured as JSON\n"
      "gauntlet-cuda-probe --list: the names\n"
      "gauntlet-cuda-probe --measurements: all of them, as a file of real/measurements\n",
      to);
  return code;
}

int list() {
  for (const auto& probe : gauntlet::cuda::probes())
    std::printf("%-16s %-18s %s\n", std::string(probe.name).c_str(), std::string(probe.unit).c_str(),
                std::string(probe.about).c_str());
  return std::fflush(stdout) == 0 ? kSuccess : kFailed;
}

/// Standard output for the answer alone: what libraries print there goes to standard error (NCCL_DEBUG).
std::FILE* answer_alone() {
  const int output = ::dup(STDOUT_FILENO);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return nullptr;
  return ::fdopen(output, "w");
}

}  // namespace

int main(int count, char** arguments) {
  constexpr int kOfSharedRank = 6;  // started by the probe shared_ranks
  const bool shared = count == kOfSharedRank && std::strcmp(arguments[1], "--shared-rank") == 0;
  if (count != 2 && !shared) return usage(stderr, kWrongInput);
  const std::string name = arguments[1];
  if (name == "--help") return usage(stdout, kSuccess);
  if (name == "--list") return list();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a kernel that hangs does not outlive whoever asked
  std::FILE* const answer = answer_alone();
  if (answer == nullptr) return kFailed;
  if (shared && ::getppid() != std::atoi(arguments[5])) return kFailed;  // its owner died before prctl(2)
  if (shared)
    return gauntlet::cuda::run_shared_rank(answer, std::atoi(arguments[2]), std::atoi(arguments[3]),
                                           arguments[4]);
  if (name == "--measurements") return gauntlet::cuda::print_measurements(answer) ? kSuccess : kFailed;
  for (const auto& probe : gauntlet::cuda::probes()) {
    if (probe.name != name) continue;
    const std::string said = to_json(run(probe)) + "\n";
    return std::fputs(said.c_str(), answer) >= 0 && std::fflush(answer) == 0 ? kSuccess : kFailed;
  }
  std::fprintf(stderr, "gauntlet-cuda-probe: there is no probe \"%s\"; --list shows them\n", name.c_str());
  return kWrongInput;
}
