// Agents that are processes of this machine: how a launcher finds them, waits for them, and ends them.
#pragma once

#include "real/launch/agent_process.hpp"
#include "real/launch/launcher.hpp"

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// For agents of one machine: its kernel's log and its interfaces are no host's own.
inline constexpr const char* kSharesMachine = "--shares-machine";

/// How the process of an agent is started: the arguments that tell it what to do.
struct AgentCommand {
  std::string gauntlet;  // the path of this program
  std::string trainer;   // the path of the program of a rank
  std::string run_as{};  // the user that ranks run as; empty: not given
};
std::vector<std::string> agent_arguments(const AgentCommand& command, const AgentName& agent,
                                         bool allow_injection);

/// Where its standard output and error go.
std::string log_of(const AgentName& agent);

class AgentsHere : public Launcher {
 public:
  std::unique_ptr<AgentHandle> find(const AgentName& agent) override;
  void wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                   const std::atomic<bool>* stop) override;
  /// By the last line of its log.
  std::string last_words(const AgentName& agent) const override;

 protected:
  /// Ends whoever holds the agent's place.
  static void clear_place(const AgentName& agent, const std::atomic<bool>* stop);
  static std::unique_ptr<AgentHandle> handle_of(AgentProcess process);
};

}  // namespace gauntlet
