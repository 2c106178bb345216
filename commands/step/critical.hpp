// What a degraded step waits for, as it is reported.
#pragma once

#include "commands/step/result.hpp"
#include "models/step/step.hpp"

#include <optional>

namespace gauntlet {

/// Nothing where the state is healthy. `total`: the step's time.
std::optional<StepCritical> critical_of(const StepModel& model, const ClusterState& state, Duration total);

}  // namespace gauntlet
