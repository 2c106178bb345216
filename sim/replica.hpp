// One random run of a scenario: policies over the simulated cluster, recorded.
#pragma once

#include "core/cluster.hpp"
#include "core/record/record.hpp"
#include "sim/sim_cluster.hpp"

#include <atomic>

namespace gauntlet {

/// Runs `policy` over a fresh cluster until the job is finished. Afterwards the cluster holds the truth and the
/// progress, `record` the observations and orders. A deterministic function of the world, the policy and the seed.
/// False where `stop` was set meanwhile: the replica was abandoned, and what is there of it means nothing.
/// Throws std::runtime_error where the run has more than kMostOnRecord on record before it ends.
bool run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry,
                 const std::atomic<bool>* stop, Record& record);

}  // namespace gauntlet
