// Synthetic agents: each has the identity and the server of an agent, and reports a host that nobody has. Those of one process share its
// certificate.
#pragma once

#include "core/time.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

struct SyntheticAgents {
  std::string authority;      // the directory of a certificate authority that issued one to each process
  std::uint32_t process = 0;  // counted from 0
  std::uint32_t first = 0;    // host
  std::uint32_t count = 0;
  Duration period{};  // of the heartbeats, which the agents send one after another
};

/// The host that the certificate of a process names.
std::string host_of_process(std::uint32_t process);

/// Starts the agents and prints the address of each, a line each, in the order of their hosts. Runs until the process is ended.
[[noreturn]] void serve(const SyntheticAgents& agents);

}  // namespace gauntlet
