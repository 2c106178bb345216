#include "real/launch/local_launcher.hpp"

#include "real/agent/place.hpp"
#include "real/launch/free_port.hpp"

namespace gauntlet {

std::unique_ptr<AgentHandle> LocalLauncher::start(const AgentName& agent, bool allow_injection,
                                                  const std::atomic<bool>* stop) {
  std::vector<std::string> arguments = agent_arguments(command_, agent, allow_injection);
  arguments.emplace_back(kSharesMachine);
  if (certificates_.trust)
    arguments.insert(arguments.end(), {"--listen", std::string(kHostOfDrill) + ":0", "--certs",
                                       certificates_.agent_directory});
  clear_place(agent, stop);
  return handle_of(AgentProcess(arguments, log_of(agent)));
}

AgentEndpoint LocalLauncher::endpoint(const AgentName& agent) const {
  if (!certificates_.trust) return {.path = agent_socket(agent.directory, agent.host)};
  return {.path = agent_address_file(agent.directory, agent.host), .trust = certificates_.trust};
}

MeetingPlace LocalLauncher::meeting_place(const AgentName&) {
  last_port_ = free_port(last_port_);
  return {.address = "127.0.0.1", .port = last_port_};
}

}  // namespace gauntlet
