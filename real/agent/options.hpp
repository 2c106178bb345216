// What an agent is told, and how it ends.
#pragma once

#include "core/time.hpp"
#include "real/agent/host_faults.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace gauntlet {

struct AgentOptions {
  std::uint32_t host = 0;
  /// The caller's own, mode 0700 or 0710: socket agent-N.sock or address agent-N.address, lock agent-N.lock, logs rank-R.log.
  std::string directory = {};
  std::string listen = {};        // HOST:PORT, for TLS; empty: the socket in the directory
  std::string certificates = {};  // where `listen` is given: a directory that `gauntlet certs issue` wrote
  std::string run_as = {};        // the user that ranks run as; empty: not given
  std::string trainer = {};       // the program of a rank: a path, not searched for
  std::string program = {};       // Gauntlet's own, which carries out probes: a path
  Duration abandoned_after = std::chrono::seconds(30);  // without any driver for so long, it ends
  bool allow_injection = false;
  std::vector<std::string> injection_kinds = {};  // the names of those that are allowed; none named: all
  Duration longest_injection = kForever;          // a fault that would last longer is refused
  /// It serves one drill after another, as the host that each driver says; a drill without a driver for `abandoned_after` is over.
  bool stays = false;
  /// Makes what injects faults that are no signals; called before any thread is started. May throw std::runtime_error. None: there are none.
  std::function<std::unique_ptr<HostFaults>()> host_faults = {};
  /// Of the faults that end in the death of ranks, those whose cause is made here; for the others ranks are killed.
  std::set<InjectionKind> causes = {};
  /// Other agents run on this machine: its kernel's log and its GPUs are not this host's, and of its interfaces those alone that are named.
  bool shares_machine = false;
  std::string lab_management = {};  // the interface of this host of a lab that its driver reaches it by
  std::vector<std::string> lab_links = {};  // the data interfaces of this host of a lab
  std::vector<std::string> interfaces =
      {};  // that carry its ranks' traffic; none named: all but the loopback
  std::string nvml =
      {};  // NVIDIA's management library; not named: nvml::kLibrary, and none where the machine is shared
};

inline constexpr int kAgentEnded = 0;      // a driver told it to quit, or SIGTERM, SIGINT or SIGHUP did
inline constexpr int kAgentAbandoned = 1;  // no driver came
inline constexpr int kAgentRefused = 2;    // it could not start; nothing was changed

}  // namespace gauntlet
