// The step model's pictures as plain data: the critical replica, one that nothing perturbs, and what every rank waits.
#pragma once

#include "models/step/step.hpp"
#include "models/world.hpp"
#include "study/results/step.hpp"
#include "study/results/step_picture.hpp"

namespace gauntlet {

StepPictures pictures_of(const StepModel& model, const World& world, const ClusterState& state,
                         const StepReport& report);

}  // namespace gauntlet
