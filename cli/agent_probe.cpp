// gauntlet agent-probe: a probe of a host, in a process of its own, for an agent.
#include "cli/commands.hpp"
#include "real/probes/suite/task.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <exception>
#include <memory>
#include <string>

namespace gauntlet {

namespace {

void add_agent_probe_options(Command& probe) {
  const auto task = std::make_shared<std::string>();
  probe.value("task", *task, "The task as JSON").required();
  probe.runs([task] {
    try {
      return print(carry_out_here(*task)) ? kSuccess : kFailed;
    } catch (const std::exception& error) {
      complain(error.what());
      return kFailed;
    }
  });
}

}  // namespace

void add_agent_probe(Program& program) {
  program
      .command("agent-probe", "Carry out one probe for an agent, whose driver judges what it measured",
               "  for agents; a person at a machine runs: gauntlet probe", add_agent_probe_options)
      .hidden();
}

}  // namespace gauntlet
