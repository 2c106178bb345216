// The 95% intervals of shipped scenarios, many times over.
#pragma once

#include "commands/validate/coverage/result.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace gauntlet {

struct CoverageQuestion {
  std::uint64_t seed = 1;
  std::uint32_t replicas = 20, repetitions = 400;
  std::string only;  // scenarios whose name holds this; empty: all
  unsigned threads = 1;
  const std::atomic<bool>* stop = nullptr;  // Ctrl-C
  std::function<void(std::uint32_t done, std::uint64_t left)> progress = {};
};

/// Repetition i of a scenario has the replicas i x replicas to (i + 1) x replicas - 1. The value that its intervals are held to is the
/// mean of all replicas together. The result does not depend on the threads.
CoverageResult cover(const CoverageQuestion& question);

}  // namespace gauntlet
