// Faults of a host that do not end with its ranks' processes, as the supervisor sees them. They are undone when somebody asks, when their
// time or the lease is over, and when this agent is gone, whoever else is dead by then.
#pragma once

#include "core/time.hpp"
#include "real/agent/messages.hpp"

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {

class HostFaults {
 public:
  HostFaults() = default;
  virtual ~HostFaults() = default;
  HostFaults(const HostFaults&) = delete;
  HostFaults& operator=(const HostFaults&) = delete;

  /// Returns when the effect is there. `processes`: those of the rank that it concerns. `lease`: what is left of it. Why not, or nothing.
  virtual std::string inject(const DriverInject&, const std::vector<pid_t>& /*processes*/,
                             Duration /*lease*/) {
    return "this agent can only kill and stop ranks";
  }
  /// take_undone() names it when that is done, also where nothing of it was left.
  virtual void undo(std::uint64_t /*injection*/) {}
  virtual void renew(Duration /*lease*/) {}
  /// The injections that ended since the last call.
  virtual std::vector<std::uint64_t> take_undone() { return {}; }
  /// Adds what to wait for: take_undone() has something.
  virtual void add_to(std::vector<pollfd>& /*polled*/) const {}
};

}  // namespace gauntlet
