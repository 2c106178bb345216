// The variables of a rank's process: those of the agent, those of the scenario, and those that the drill sets, torchrun's among them.
#pragma once

#include "real/stream/messages.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// NAME=value, each name once. `ranks`: those that the process carries.
std::vector<std::string> rank_environment(const DriverStartRanks& start,
                                          const std::vector<std::uint32_t>& ranks);

/// Of a list as above; empty where it is missing.
std::string_view value_of(std::string_view name, const std::vector<std::string>& environment);

/// Where a host and its ranks stand in the job.
struct JobPlace {
  std::uint32_t host = 0, hosts = 1;  // of the hosts that carry the job
  std::uint32_t ranks_per_host = 1;
  std::uint32_t ranks = 1;  // of the whole job
  std::string address;      // of the host of rank 0
  std::uint16_t port = 0;   // where nobody listens there
  std::uint32_t run = 0;    // counts the starts of the job
  std::string name;         // of the job
};

/// What torchrun sets for all processes of a host, beside the options that it takes from variables itself (PET_).
std::vector<std::pair<std::string, std::string>> torch_variables(const JobPlace& place);

/// Of the name of a command's stop_signal, as "TERM". 0 for none.
int number_of_signal(std::string_view name);

}  // namespace gauntlet
