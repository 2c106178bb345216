// Draws a fault plan as the simulator would meet it: same scenario, same seed, same plan.
#pragma once

#include "core/random/stream.hpp"
#include "models/world/fault_plan.hpp"

#include <cstdint>

namespace gauntlet {

/// Every fault that strikes the job's hosts before `until`, without renewals: a component fails at most once of one
/// kind. Kinds on the `training` clock are read as if the job trained all the time, those on the clock `start` as if it
/// started once. What follows from a fault is not in a plan. How long a fault lasts and the first repair of its host are those that
/// a simulation of the plan draws.
FaultPlan draw_plan(const World& world, Seed seed, Time until);

/// A plan, and what its bound left out of it.
struct BoundedPlan {
  FaultPlan kept, left_out;
};

/// Keeps a fault where fewer than `drill.at_once` faults act at its onset; 0 keeps all. A fault acts until it heals, or for the time of the
/// repair that removes it. What stops the job until it is restarted acts at its onset alone. What else only a restart or a person
/// removes acts until the end. A stop request is kept, and does not count.
BoundedPlan within_bound(const World& world, const FaultPlan& plan);

/// The plan of a drill with this seed: far beyond the time of the fault-free run, for one that takes longer meets more.
BoundedPlan plan_of_drill(const World& world, std::uint64_t seed);

}  // namespace gauntlet
