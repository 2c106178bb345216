// What `gauntlet validate coverage` is asked.
#pragma once

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

}  // namespace gauntlet
