// gauntlet-ucx-probe: a probe of this host by UCX, as one line of JSON. Gauntlet starts it in a process of its own.
#include "real/probes/sample_json.hpp"
#include "real/probes/ucx/card_mesh.hpp"

#include <nlohmann/json.hpp>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kSuccess = 0, kFailed = 1, kWrongInput = 2;

int usage(std::FILE* to, int code) {
  std::fputs("gauntlet-ucx-probe mesh: transfers between the network cards of this host, as JSON\n", to);
  return code;
}

/// Standard output for the answer alone: UCX logs there, and goes to standard error now.
std::FILE* answer_alone() {
  const int output = ::dup(STDOUT_FILENO);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return nullptr;
  return ::fdopen(output, "w");
}

/// What a stuck transfer still uses is not taken apart.
[[noreturn]] void end(int code) { std::_Exit(code); }

}  // namespace

int main(int count, char** arguments) {
  const std::string name = count == 2 ? arguments[1] : "";
  if (name == "--help") return usage(stdout, kSuccess);
  if (name != "mesh") return usage(stderr, kWrongInput);
  const pid_t asked_by = ::getppid();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a transfer that hangs does not outlive whoever asked
  if (::getppid() != asked_by) return kFailed;
  std::FILE* const answer = answer_alone();
  if (answer == nullptr) return kFailed;
  const nlohmann::ordered_json measured = gauntlet::ucx::card_mesh("");
  const std::string said =
      measured.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  end(std::fputs(said.c_str(), answer) >= 0 && std::fflush(answer) == 0 ? kSuccess : kFailed);
}
