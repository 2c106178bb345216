// Probes of a host, as the supervisor sees them: begun, and heard of when they end.
#pragma once

#include "real/probes/suite/task.hpp"

#include <cstdint>

namespace gauntlet {

struct ProbeEnded {
  std::uint64_t probe = 0;  // by its number at this agent
  ProbeSample sample;
};

class ProbeRunner {
 public:
  ProbeRunner() = default;
  virtual ~ProbeRunner() = default;
  ProbeRunner(const ProbeRunner&) = delete;
  ProbeRunner& operator=(const ProbeRunner&) = delete;

  /// Begins a task without a problem (problem_of) and returns; the supervisor hears ProbeEnded with this number. It may never end.
  virtual void begin(const ProbeTask& task, std::uint64_t number) = 0;
};

}  // namespace gauntlet
