// The figures of an oracle over many replicas.
#pragma once

#include "commands/validate/oracles/oracle.hpp"
#include "study/summary/summary.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace gauntlet {

struct MeasureOptions {
  std::uint64_t seed = 1;
  std::uint32_t replicas = 1;
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;  // Ctrl-C
  /// Replicas that were just run, and how many are left. Called by one thread at a time.
  std::function<void(std::uint32_t done, std::uint64_t left)> progress = {};
};

/// One result for each figure, in their order; empty where it was stopped. The result does not depend on the threads. What a
/// replica throws is thrown here.
std::vector<Statistics> measure(const Oracle& oracle, const MeasureOptions& options);

/// What an oracle expects, beside what was measured: a row for each figure. Empty where it was stopped.
std::vector<PolicyCheck> check(const Oracle& oracle, const MeasureOptions& options);

}  // namespace gauntlet
