// Probes of this host, each in a process of its own, for which a thread waits.
#pragma once

#include "real/agent/probe_runner.hpp"

#include <functional>
#include <utility>

namespace gauntlet {

/// Nobody waits for the threads: a sick disk may never let a process go. Hence `ended` is called on any thread, at any time, also
/// when this object is gone.
class ProbeThreads final : public ProbeRunner {
 public:
  ProbeThreads(ProbeSurroundings where, std::function<void(ProbeEnded)> ended)
      : where_(std::move(where)), ended_(std::move(ended)) {}

  void begin(const ProbeTask& task, std::uint64_t number) override;

 private:
  ProbeSurroundings where_;
  std::function<void(ProbeEnded)> ended_;
};

}  // namespace gauntlet
