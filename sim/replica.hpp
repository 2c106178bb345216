// One random run of a scenario: policies over the simulated cluster, recorded.
#pragma once

#include "core/cluster.hpp"
#include "core/record/record.hpp"
#include "sim/sim_cluster.hpp"

namespace gauntlet {

/// Runs `policy` over a fresh cluster until the job is finished. Afterwards the cluster holds the truth and the
/// progress, `record` the observations and orders. A deterministic function of the world, the policy and the seed.
void run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry, Record& record);

}  // namespace gauntlet
