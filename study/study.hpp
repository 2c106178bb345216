// Many replicas of one scenario, in one summary.
#pragma once

#include "config/scenario.hpp"
#include "core/record/record.hpp"
#include "study/in_order.hpp"
#include "study/results/summary.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace gauntlet {

struct StudyOptions {
  ReplicaRange range = {};
  std::uint64_t seed = 0;
  unsigned threads = 1;
  bool full_telemetry = false;
  std::string version = {};                 // of the program, for the results
  const std::atomic<bool>* stop = nullptr;  // what is done so far is the result
  /// Sees every replica, in their order, on the caller's thread.
  std::function<void(std::uint32_t replica, const Figures& figures)> each = {};
  /// Where the record of the last replica goes, if it is wanted; then `range` holds one replica.
  Record* record = nullptr;
};

/// What the results need to know of the scenario.
ScenarioFacts facts_of(const Scenario& scenario, std::uint64_t seed, const std::string& version);

/// The same bytes for any number of threads. `replicas` of the result says how many were done.
Summary run_study(const Scenario& scenario, const StudyOptions& options);

}  // namespace gauntlet
