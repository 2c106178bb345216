// What the figures of a study need to know about its scenario, so that they need no model and no configuration.
#pragma once

#include "core/quantity.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct ScenarioFacts {
  std::string name;
  std::string question;
  std::string version;  // of the program that ran it
  std::uint64_t seed = 0;
  std::uint32_t gpus = 0;       // of the job
  std::uint32_t gpus_held = 0;  // the job's and the spares', those of a pool with other jobs left out
  std::uint32_t hosts = 0;      // of the job
  std::uint32_t spares = 0;     // hosts
  FlopRate peak;                // of one GPU
  double tokens_per_step = 0;
  Flops flops_per_step;                  // model FLOPs, without recomputed activations
  Money gpu_hour;                        // zero: no price (has_price())
  Duration window{};                     // zero: until the work is done
  std::int64_t steps = 0;                // the work; zero: no end but `window`
  Duration give_up_after{};              // without progress for so long, a run ends; zero: it never gives up
  std::vector<std::string> faults;       // names, by FaultKindId
  std::optional<Money> idle_gpu_hour{};  // of a spare's; nothing: gpu_hour
  Money storage_month{};                 // for the checkpoints that are kept, 30 days
  std::vector<std::string> replayed{};   // of `faults`: those that a trace gives, the same in every replica
  std::string currency{"USD"};           // of every price, an ISO 4217 code
  bool computes_interval = false;        // the checkpoint policy, from what a checkpoint costs
  bool saves_behind_training = false;    // training waits for a copy alone, which is then written to storage
  /// The controls of the means (study/controls.hpp), the most useful first. A control is a list of kinds of faults, by FaultKindId, whose
  /// compensated counts are added up. An empty list is the compensated work (Figures::compensated_work). Without controls means are plain.
  std::vector<std::vector<std::uint32_t>> controls{};

  /// Whether the scenario states a price. Without one there is no cost.
  bool has_price() const { return gpu_hour.value > 0; }
};

/// Each control takes a degree of freedom and has to be worth it. 10 replicas bear one control, 20 bear two, and each 20 more bear one more.
inline constexpr std::size_t kReplicasOfFirst = 10, kReplicasOfLater = 20;
inline constexpr std::size_t kMostControls = 4;

/// How many of the controls of a scenario so many replicas bear.
inline std::size_t controls_borne(const ScenarioFacts& facts, std::uint64_t replicas) {
  const std::size_t first = replicas / kReplicasOfFirst, later = 1 + replicas / kReplicasOfLater;
  return std::min({facts.controls.size(), first, later, kMostControls});
}

}  // namespace gauntlet
