// When the job of a drill is requested to stop.
#pragma once

#include "core/observation.hpp"
#include "models/world/fault_plan.hpp"
#include "models/world/world.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gauntlet {

struct PlannedStopRequest {
  Time at;
  StopRequest what;
  std::optional<std::uint64_t> fault{};  // its number in the plan; nothing: a planned stop of the job
};

/// The planned stops of the job, and the planned stops and preemptions of the plan, in order of time.
std::vector<PlannedStopRequest> stop_requests(const World& world, const FaultPlan& plan);

}  // namespace gauntlet
