#include "models/step/possible.hpp"

#include <algorithm>

namespace gauntlet {

double highest_mfu(const World& world) {
  const Hardware& hardware = world.hardware;
  const bool fp8 = world.job.training.precision == Precision::fp8 && hardware.peak.value > 0;
  return fp8 ? std::max(1.0, hardware.peak_fp8.value / hardware.peak.value) : 1;
}

double least_step_time_factor(const World& world, const StepModel& model) {
  return world.job.step_time_factor * model.evaluate().mfu / highest_mfu(world);
}

}  // namespace gauntlet
