// gauntlet agent: one host's end of a drill.
#include "real/agent/agent.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/terminal.hpp"
#include "core/quantity.hpp"

namespace gauntlet {

static_assert(kAgentEnded == kSuccess && kAgentAbandoned == kFailed && kAgentRefused == kWrongInput);

int agent_command(const AgentRequest& request) {
  const Parsed<Duration> patience = parse_duration(request.abandoned_after);
  if (!patience.value) {
    const Problem problem = {.file = "",
                             .what = "--abandoned-after = \"" + request.abandoned_after + "\"",
                             .why = patience.why,
                             .suggestion = patience.suggestion};
    print_problems({&problem, 1});
    return kWrongInput;
  }
  return run_agent({.host = request.host,
                    .directory = request.directory,
                    .trainer = request.trainer,
                    .abandoned_after = *patience.value,
                    .allow_injection = request.allow_injection});
}

}  // namespace gauntlet
