// What a drill would start and inject, for whoever wants to read it before it happens.
#pragma once

#include "models/world/world.hpp"
#include "real/launch/launcher.hpp"
#include "sim/faults/fault_plan.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// Tables of the hosts with their ranks, of what the launcher would make, and of the planned faults. `directory`: where the
/// drill's files would lie.
std::string dry_run_text(const World& world, const BoundedPlan& bounded, const std::string& directory,
                         const Launcher& launcher);

/// A sentence for each fault that `drill.at_once` leaves out.
std::vector<std::string> left_out_texts(const World& world, const FaultPlan& left_out);

}  // namespace gauntlet
