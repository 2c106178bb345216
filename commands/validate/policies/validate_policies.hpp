// The policies, the simulator and the score against closed forms, and against what another simulator publishes.
#pragma once

#include "commands/validate/oracles/result.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace gauntlet {

struct PolicyQuestion {
  std::uint64_t seed = 1;
  bool quick = false;  // as few replicas as the tests run
  std::string only;    // checks whose subject holds this; empty: all
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;  // Ctrl-C
  std::function<void(std::uint32_t done, std::uint64_t left)> progress = {};
};

/// Every oracle, then every cross-check. A scenario that does not load is a check that does not hold, and says why. The result
/// does not depend on the threads.
PolicyValidation validate_policies(const PolicyQuestion& question);

}  // namespace gauntlet
