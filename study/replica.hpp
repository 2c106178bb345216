// One scored replica: the simulated cluster, a fresh controller, and the score of what they did.
#pragma once

#include "core/record/record.hpp"
#include "core/record/run_logs.hpp"
#include "models/world/world.hpp"
#include "policies/constants.hpp"
#include "score/score.hpp"
#include "sim/sim_cluster.hpp"

#include <atomic>
#include <cstdint>

namespace gauntlet {

/// What the score needs to know of a world.
ScoreFacts score_facts(const World& world);

struct ReplicaOptions {
  std::uint64_t seed = 1;
  std::uint32_t replica = 0;
  bool full_telemetry = false;
  Duration bucket{};                        // above zero: Figures::over_time has parts of this length
  const std::atomic<bool>* stop = nullptr;  // Ctrl-C: the replica is abandoned once it is set
};

/// The workspace of one thread: buffers are kept from replica to replica. Not thread-safe.
class Simulation {
 public:
  /// The references must outlive it.
  Simulation(const World& world, const PolicyConstants& policies);

  /// A deterministic function of its arguments, which name no `stop`. The result is valid until the next run. Throws
  /// PolicyError (policy_error.hpp) where a custom policy breaks a rule; record() then ends there.
  const Figures& run(const ReplicaOptions& options);
  /// The same into `figures`, whose memory is kept. False where the replica was abandoned: then they mean nothing.
  [[nodiscard]] bool run(const ReplicaOptions& options, Figures& figures);

  /// Of the last run.
  const Record& record() const { return record_; }
  RunLogs logs() const { return {.truth = cluster_.truth(), .progress = cluster_.progress()}; }
  const SimCluster& cluster() const { return cluster_; }

 private:
  bool run_policies(const ReplicaOptions& options);

  const PolicyConstants* policies_;
  SimCluster cluster_;
  ScoreFacts facts_;
  Record record_;
  Figures figures_;
};

}  // namespace gauntlet
