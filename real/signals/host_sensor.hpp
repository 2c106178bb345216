// What a host says of itself beside its ranks, as the supervisor sees it: its hardware, its counters, what it has logged.
#pragma once

#include "real/stream/messages.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

/// A host that says nothing.
class HostSensor {
 public:
  HostSensor() = default;
  virtual ~HostSensor() = default;
  HostSensor(const HostSensor&) = delete;
  HostSensor& operator=(const HostSensor&) = delete;

  /// All but the ranks.
  virtual HostReport report() { return {}; }
  /// By the counters of its RDMA ports, or else of its interfaces. Nothing where these are not the host's alone.
  virtual std::optional<std::uint64_t> bytes_sent() { return std::nullopt; }
  /// False while a link that its ranks need is down: others wait for it then, whatever its ranks wait for.
  virtual bool links_up() const { return true; }
  /// Lines that the host has logged since the last call, a bounded number of them: of its kernel, and of what its GPUs have met.
  virtual std::vector<std::string> logged_lines() { return {}; }
};

}  // namespace gauntlet
