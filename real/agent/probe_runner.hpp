// Probes of a host, as the supervisor sees them: begun, and heard of when they end.
#pragma once

#include "real/agent/probes.hpp"

#include <cstdint>
#include <string>

namespace gauntlet {

struct ProbeEnded {
  std::uint64_t probe = 0;  // by its number at this agent
  ProbeResult result;
};

class ProbeRunner {
 public:
  ProbeRunner() = default;
  virtual ~ProbeRunner() = default;
  ProbeRunner(const ProbeRunner&) = delete;
  ProbeRunner& operator=(const ProbeRunner&) = delete;

  virtual bool knows(const std::string& probe) const = 0;
  /// Their names, for people.
  virtual std::string known() const = 0;
  /// Begins it and returns; the supervisor hears ProbeEnded with this number. It may never end.
  virtual void begin(const std::string& probe, std::uint64_t number) = 0;
};

}  // namespace gauntlet
