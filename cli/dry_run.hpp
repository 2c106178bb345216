// What a drill would start and inject, for whoever wants to read it before it happens.
#pragma once

#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"
#include "real/launch/launcher.hpp"

#include <string>

namespace gauntlet {

/// Tables of the hosts with their ranks, of what the launcher would make, and of the planned faults. `directory`: where the
/// drill's files would lie.
std::string dry_run_text(const World& world, const FaultPlan& plan, const std::string& directory,
                         const Launcher& launcher);

}  // namespace gauntlet
