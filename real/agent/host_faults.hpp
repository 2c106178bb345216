// Faults of a host that do not end with its ranks' processes, as the supervisor sees them. They are undone when somebody asks, when their
// time or the lease is over, and when this agent is gone, whoever else is dead by then.
#pragma once

#include "core/time.hpp"
#include "real/stream/messages.hpp"

#include <poll.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gauntlet {

/// What became of an injection that ends.
struct FaultEnd {
  std::uint64_t injection = 0;
  std::string why{};  // it cannot be undone yet; empty: it is undone
  friend bool operator==(const FaultEnd&, const FaultEnd&) = default;
};

/// What an injection finds on its host.
struct InjectionSubject {
  std::vector<pid_t> processes{};                    // of the ranks that it concerns
  std::map<std::string, double> bytes_per_second{};  // that the job sends over each interface, in the mean
};

class HostFaults {
 public:
  HostFaults() = default;
  virtual ~HostFaults() = default;
  HostFaults(const HostFaults&) = delete;
  HostFaults& operator=(const HostFaults&) = delete;

  /// Returns when the effect is there. `lease`: what is left of it. Why not, or nothing.
  virtual std::string inject(const DriverInject&, const InjectionSubject&, Duration /*lease*/) {
    return "this agent can only kill and stop ranks";
  }
  /// take_ends() names it when that is done, also where nothing of it was left. What cannot be undone is tried again.
  virtual void undo(std::uint64_t injection) { ends_.push_back({.injection = injection}); }
  virtual void renew(Duration /*lease*/) {}
  /// What is new since the last call.
  virtual std::vector<FaultEnd> take_ends() { return std::exchange(ends_, {}); }
  /// What is wrong with whoever undoes them, in sentences; new since the last call.
  virtual std::vector<std::string> take_remarks() { return {}; }
  /// Adds what to wait for: take_ends() is due.
  virtual void add_to(std::vector<pollfd>& /*polled*/) const {}

 protected:
  std::vector<FaultEnd> ends_;  // that nobody took yet
};

}  // namespace gauntlet
