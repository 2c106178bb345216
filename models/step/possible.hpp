// What no step can beat.
#pragma once

#include "models/step/step.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

/// The highest MFU that is possible: 1, or on hardware whose fp8 rate is higher than the 16-bit rate that an MFU is of, for a job in fp8
/// their ratio.
double highest_mfu(const World& world);

/// The least job.step_time_factor that is possible: with it, a healthy step of `model`, which is of this world, has the highest
/// MFU. Zero of hardware without a peak rate.
double least_step_time_factor(const World& world, const StepModel& model);

}  // namespace gauntlet
