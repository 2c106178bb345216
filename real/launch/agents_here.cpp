#include "real/launch/agents_here.hpp"

#include "real/agent/place.hpp"

#include <fstream>

namespace gauntlet {
namespace {

class AgentHere final : public AgentHandle {
 public:
  explicit AgentHere(AgentProcess process) : process_(std::move(process)) {}

  bool exits_within(Duration patience) override { return process_.exits_within(patience); }
  bool wait_or_end(Duration patience, const std::atomic<bool>* stop) override {
    return process_.wait_or_end(patience, stop);
  }
  void terminate() override { process_.terminate(); }
  void kill() override { process_.kill(); }
  void let_go() override { process_.let_go(); }
  AgentProcess& process() { return process_; }

 private:
  AgentProcess process_;
};

}  // namespace

std::vector<std::string> agent_arguments(const AgentCommand& command, const AgentName& agent,
                                         bool allow_injection) {
  std::vector<std::string> arguments = {
      command.gauntlet, "agent",         "--host",    std::to_string(agent.host),
      "--directory",    agent.directory, "--trainer", command.trainer};
  if (!command.run_as.empty()) arguments.insert(arguments.end(), {"--run-as", command.run_as});
  if (allow_injection) arguments.emplace_back("--allow-injection");
  return arguments;
}

std::string log_of(const AgentName& agent) {
  return agent.directory + "/agent-" + std::to_string(agent.host) + ".log";
}

std::unique_ptr<AgentHandle> AgentsHere::handle_of(AgentProcess process) {
  return std::make_unique<AgentHere>(std::move(process));
}

void AgentsHere::clear_place(const AgentName& agent, const std::atomic<bool>* stop) {
  AgentProcess(agent_process(agent.directory, agent.host)).wait_or_end(Duration::zero(), stop);
}

std::unique_ptr<AgentHandle> AgentsHere::find(const AgentName& agent) {
  AgentProcess process(agent_process(agent.directory, agent.host));
  return process.running() ? handle_of(std::move(process)) : nullptr;
}

void AgentsHere::wait_or_end(std::span<AgentHandle* const> all, Duration patience,
                             const std::atomic<bool>* stop) {
  std::vector<AgentProcess*> processes;
  for (AgentHandle* each : all) processes.push_back(&static_cast<AgentHere*>(each)->process());
  AgentProcess::wait_or_end(processes, patience, stop);
}

std::string AgentsHere::last_words(const AgentName& agent) const {
  std::ifstream log(log_of(agent));
  std::string line, last;
  while (std::getline(log, line)) {
    if (!line.empty()) last = line;
  }
  return last.empty() ? "it said nothing" : "it last said: " + last;
}

}  // namespace gauntlet
