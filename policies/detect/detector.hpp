// Detectors: small state machines that order watches and turn what these let through into suspicions.
//
// Each states its latency and its blind spot. `heartbeat` sees hosts that fall silent (after heartbeat_timeout) and
// ranks that exit (with the host's next heartbeat), and is blind to hangs. `log` sees the lines that it was given, when
// they are logged, and is blind to faults that log nothing. `hang` sees that no step completes (after hang_timeout) and
// ranks that give up waiting (after collective_timeout), and cannot tell whose fault it is.
#pragma once

#include "core/action.hpp"
#include "core/observation.hpp"
#include "policies/constants.hpp"

#include <optional>
#include <variant>
#include <vector>

namespace gauntlet {

/// The job has stopped, or must: because of this host, or nobody knows whose fault it is.
struct Suspicion {
  std::optional<HostId> host;
};

/// Hands out the ids of watches.
class WatchIds {
 public:
  WatchId take() { return WatchId{++last_}; }

 private:
  std::uint32_t last_ = 0;
};

class HeartbeatDetector {
 public:
  void start(const DetectionConstants& constants, WatchIds& ids, Orders& out);
  std::optional<Suspicion> on(const Seen& seen) const;

 private:
  WatchId silence_, exit_;
};

class LogDetector {
 public:
  void start(const DetectionConstants& constants, WatchIds& ids, Orders& out);
  std::optional<Suspicion> on(const Seen& seen) const;

 private:
  std::vector<WatchId> lines_;
};

class HangDetector {
 public:
  void start(const DetectionConstants& constants, WatchIds& ids, Orders& out);
  std::optional<Suspicion> on(const Seen& seen) const;

 private:
  WatchId no_step_, timeout_;
};

using Detector = std::variant<HeartbeatDetector, LogDetector, HangDetector>;

}  // namespace gauntlet
