#include "config/checks/step_checks.hpp"

#include "config/fields/tokens.hpp"
#include "models/step/possible.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

namespace gauntlet {

void check_work(const Place& place, const std::string& prefix, const JobModel& job, Duration step) {
  if (step <= Duration::zero() || job.steps <= kLongestWork / step) return;
  const std::int64_t most = kLongestWork / step;
  if (job.tokens > 0 && !place.given(prefix + "steps"))
    return place.mistake_at(
        prefix + "tokens",
        "in " + std::to_string(job.steps) + " steps of " + to_text(step) + " take more than 100 years",
        "at most " + most_tokens_text(static_cast<double>(most) * job.global_batch * job.model.sequence));
  place.mistake_at(prefix + "steps", "of " + to_text(step) + " take more than 100 years",
                   "at most " + std::to_string(most));
}

void check_step_time_factor(const Place& root, const World& world, const StepModel& model) {
  const JobModel& job = world.job;
  // By itself the model exceeds no rate of the hardware: its efficiencies are 1 at most.
  if (job.step_time > Duration::zero() || job.step_time_factor >= JobModel{}.step_time_factor) return;
  const double least = least_step_time_factor(world, model);
  if (job.step_time_factor >= least) return;
  constexpr double kDigits = 1e3;  // rounded up, so that what is suggested is possible
  root.mistake_at(
      "job.step_time_factor",
      fmt::format(
          "makes a step faster than the GPUs' peak rate: an MFU of {:.0f}%, where {:.0f}% is the most",
          100 * highest_mfu(world) * least / job.step_time_factor, 100 * highest_mfu(world)),
      fmt::format("write {} or more", std::ceil(least * kDigits) / kDigits));
}

}  // namespace gauntlet
