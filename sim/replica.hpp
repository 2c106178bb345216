// One random run of a scenario: policies over the simulated cluster, recorded.
#pragma once

#include "core/cluster.hpp"
#include "core/record/record.hpp"
#include "sim/sim_cluster.hpp"

#include <atomic>
#include <cstddef>

namespace gauntlet {

/// Of one run. All of them are kept until the run is scored, with what else that takes in about 1 GB (assumption: it can be
/// spared for each thread). Ten years with a failure every half hour make 2.6 million.
inline constexpr std::size_t kMostObservations = 4'000'000;

/// Runs `policy` over a fresh cluster until the job is finished. Afterwards the cluster holds the truth and the
/// progress, `record` the observations and orders. A deterministic function of the world, the policy and the seed.
/// False where `stop` was set meanwhile: the replica was abandoned, and what is there of it means nothing.
/// Throws std::runtime_error where the run makes more than kMostObservations.
bool run_replica(SimCluster& cluster, Policy& policy, Seed seed, bool full_telemetry,
                 const std::atomic<bool>* stop, Record& record);

}  // namespace gauntlet
