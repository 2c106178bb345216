#include "real/runner/rank_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <map>
#include <utility>

namespace gauntlet {

std::vector<std::string> rank_environment(const DriverStartRanks& start,
                                          const std::vector<std::uint32_t>& ranks) {
  std::map<std::string, std::string, std::less<>> variables;
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::size_t end = variable.find('=');
    if (end != std::string_view::npos)
      variables[std::string(variable.substr(0, end))] = variable.substr(end + 1);
  }
  for (const auto& [name, value] : start.command.environment) variables[name] = value;
  for (const auto& [name, value] : start.environment) variables[name] = value;
  if ((!start.command.given() || start.command.per == ProcessPer::rank) && ranks.size() == 1) {
    const auto own = std::find(start.ranks.begin(), start.ranks.end(), ranks.front());
    variables["RANK"] = variables["ROLE_RANK"] = std::to_string(ranks.front());
    variables["LOCAL_RANK"] = std::to_string(own - start.ranks.begin());
  }
  std::vector<std::string> out;
  for (const auto& [name, value] : variables) out.push_back(name + "=" + value);
  return out;
}

std::string_view value_of(std::string_view name, const std::vector<std::string>& environment) {
  for (const std::string_view each : environment) {
    if (each.size() > name.size() && each.starts_with(name) && each[name.size()] == '=')
      return each.substr(name.size() + 1);
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> torch_variables(const JobPlace& place) {
  const std::string ranks = std::to_string(place.ranks), local = std::to_string(place.ranks_per_host),
                    host = std::to_string(place.host), hosts = std::to_string(place.hosts),
                    port = std::to_string(place.port);
  return {{"WORLD_SIZE", ranks},
          {"LOCAL_WORLD_SIZE", local},
          {"GROUP_RANK", host},
          {"GROUP_WORLD_SIZE", hosts},
          {"ROLE_NAME", "default"},
          {"ROLE_WORLD_SIZE", ranks},
          {"MASTER_ADDR", place.address},
          {"MASTER_PORT", port},
          {"TORCHELASTIC_RESTART_COUNT", std::to_string(place.run > 0 ? place.run - 1 : 0)},
          {"TORCHELASTIC_MAX_RESTARTS", "0"},  // the policies restart, and not torchrun
          {"TORCHELASTIC_RUN_ID", place.name},
          {"TORCHELASTIC_USE_AGENT_STORE", "False"},
          // A torchrun that is started per host reads its options from these.
          {"PET_NNODES", hosts},
          {"PET_NODE_RANK", host},
          {"PET_NPROC_PER_NODE", local},
          {"PET_MASTER_ADDR", place.address},
          {"PET_MASTER_PORT", port},
          {"PET_MAX_RESTARTS", "0"}};
}

int number_of_signal(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, int>, 6> kSignals = {{{"TERM", SIGTERM},
                                                                         {"INT", SIGINT},
                                                                         {"HUP", SIGHUP},
                                                                         {"QUIT", SIGQUIT},
                                                                         {"USR1", SIGUSR1},
                                                                         {"USR2", SIGUSR2}}};
  const auto found =
      std::find_if(kSignals.begin(), kSignals.end(), [&](const auto& s) { return s.first == name; });
  return found == kSignals.end() ? 0 : found->second;
}

}  // namespace gauntlet
