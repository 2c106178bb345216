// What no step, and no job, can be: shorter than the hardware computes, longer than time is counted.
#pragma once

#include "config/toml/place.hpp"
#include "models/step/step.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

/// Time is 64 bits of nanoseconds, 292 years; faults may make a job several times as long.
inline constexpr Duration kLongestWork = std::chrono::hours(24 * 365 * 100);

/// Refuses work that takes more than kLongestWork without any fault, as it was given: in tokens or in steps. `step`: of a healthy one.
/// `prefix`: of the job's keys at `place`.
void check_work(const Place& place, const std::string& prefix, const JobModel& job, Duration step);

/// Refuses a job.step_time_factor with which a modelled step is faster than the peak rate of its GPUs. `model` is of this world.
void check_step_time_factor(const Place& root, const World& world, const StepModel& model);

}  // namespace gauntlet
