// The step model's pictures as plain data: the critical replica, one that nothing perturbs, and what every rank waits.
#pragma once

#include "commands/step/picture.hpp"
#include "commands/step/result.hpp"
#include "models/step/step.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

StepPictures pictures_of(const StepModel& model, const World& world, const ClusterState& state,
                         const StepReport& report);

}  // namespace gauntlet
