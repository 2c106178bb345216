// An agent's place in the file system: one agent per host number and directory.
#pragma once

#include "core/problem.hpp"
#include "real/system/descriptor.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gauntlet {

/// Holds the place while it lives. Its lock is the kernel's and dies with the process: a crash leaves nothing behind
/// that the next agent could mistake for a living one.
class AgentPlace {
 public:
  /// Takes the place: the directory is ours alone, no living agent holds it, and a dead one's socket is removed.
  static std::optional<Problem> take(const std::string& directory, std::uint32_t host, AgentPlace& out);

 private:
  Descriptor lock_;
};

/// A pidfd of the living agent that holds this place; empty where none does, or it cannot be watched.
Descriptor agent_process(const std::string& directory, std::uint32_t host);

/// Where the agent of a host listens: a Unix socket, or a file that says which HOST:PORT.
std::string agent_socket(const std::string& directory, std::uint32_t host);
std::string agent_address_file(const std::string& directory, std::uint32_t host);

}  // namespace gauntlet
