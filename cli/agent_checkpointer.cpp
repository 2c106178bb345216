// gauntlet agent-checkpointer: the process that writes the checkpoints of a host's ranks, for an agent.
#include "cli/commands.hpp"
#include "real/checkpointer/checkpointer.hpp"
#include "shell/exit_code.hpp"
#include "shell/terminal.hpp"

#include <unistd.h>

#include <exception>
#include <memory>
#include <string>

namespace gauntlet {

namespace {

void add_agent_checkpointer_options(Command& checkpointer) {
  const auto socket = std::make_shared<std::string>();
  // Whoever lists processes sees whose it is.
  checkpointer.value("socket", *socket, "The name of that socket").required();
  checkpointer.runs([socket] {
    try {
      run_checkpointer(Descriptor(::dup(STDIN_FILENO)));
      return kSuccess;
    } catch (const std::exception& error) {
      complain(error.what());
      return kFailed;
    }
  });
}

}  // namespace

void add_agent_checkpointer(Program& program) {
  program
      .command("agent-checkpointer",
               "Write the checkpoints of a host's ranks, which connect to the socket on standard input",
               "  for agents; a program of yours writes its checkpoints with real/checkpoint/writer.hpp",
               add_agent_checkpointer_options)
      .hidden();
}

}  // namespace gauntlet
