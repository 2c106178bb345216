// Probes of this host, each on a thread of its own.
#pragma once

#include "real/agent/probe_runner.hpp"

#include <functional>
#include <string>
#include <utility>

namespace gauntlet {

/// Nobody waits for the threads: a sick disk may never let one go. Hence `ended` is called on any thread, at any time,
/// also when this object is gone.
class ProbeThreads final : public ProbeRunner {
 public:
  /// `directory` takes the probes' files.
  ProbeThreads(std::string directory, std::function<void(ProbeEnded)> ended)
      : directory_(std::move(directory)), ended_(std::move(ended)) {}

  bool knows(const std::string& probe) const override;
  std::string known() const override;
  void begin(const std::string& probe, std::uint64_t number) override;

 private:
  std::string directory_;
  std::function<void(ProbeEnded)> ended_;
};

}  // namespace gauntlet
