#include "study/work.hpp"

#include "config/fields/tokens.hpp"
#include "core/saturating.hpp"
#include "models/step/step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

constexpr double kHorizon = 8;  // in healthy times of the work
/// Of work that is done within hours, starts and repairs take most of the time.
constexpr Duration kLeastHorizon = std::chrono::hours(24);
/// As config/ has it for job.steps, and for the longest job.
constexpr double kMostSteps = 1e12;
constexpr Duration kLongest = std::chrono::hours(24 * 365 * 100);

double tokens_per_step(const JobModel& job) {
  return static_cast<double>(job.global_batch) * job.model.sequence;
}

/// The least number of whole windows that last as long as `horizon`.
std::int64_t windows_in(Duration horizon, Duration window) {
  return std::max<std::int64_t>(1, (horizon.count() + window.count() - 1) / window.count());
}

/// Whether the planned stops are spread over the window: the middles of equal parts of it.
bool spread_over_window(const JobModel& job) {
  const auto count = static_cast<std::int64_t>(job.planned_stops.size());
  if (count == 0 || job.window == Duration::zero()) return false;
  const double part = to_seconds(job.window) / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i) {
    const double at = to_seconds(job.planned_stops[static_cast<std::size_t>(i)].at - kStart);
    if (std::abs(at - (static_cast<double>(i) + 0.5) * part) > 1e-6) return false;
  }
  return true;
}

/// The window that is long enough, with its planned stops at the pace that they had.
void lift_window(const JobModel& job, Duration horizon, Work& work) {
  if (!spread_over_window(job)) {
    work.sets.push_back("job.window=" + to_text(horizon));
  } else {
    const std::int64_t windows = windows_in(horizon, job.window);
    work.sets.push_back("job.window=" + to_text(windows * job.window));
    work.sets.push_back(fmt::format("job.planned.count={}", windows * std::ssize(job.planned_stops)));
    work.notes.push_back(fmt::format("Planned stops are as frequent as in the scenario: {1} in {0}.",
                                     to_text(job.window), job.planned_stops.size()));
    horizon = windows * job.window;
  }
  const std::string gives_up =
      job.give_up_after > Duration::zero()
          ? fmt::format("it makes no progress for {} (job.give_up_after), or ", to_text(job.give_up_after))
          : "";
  work.notes.push_back(
      fmt::format("A run continues until its work is done. It counts as never done where {}the work is not "
                  "done after {}.",
                  gives_up, to_text(std::chrono::floor<std::chrono::hours>(horizon))));
}

Problem no_work(const World& world) {
  Problem problem{
      .file = "",
      .what = "the scenario",
      .why = "has neither job.tokens nor job.steps, so there is no work to finish",
      .suggestion = "write --tokens 15.6T, or job.tokens = \"15.6T\" or job.steps = 1000000 in the scenario"};
  if (world.job.window > Duration::zero())
    problem.suggestion +=
        fmt::format(" (in {} a run without faults trains {:.3g}T tokens)", to_text(world.job.window),
                    to_seconds(world.job.window) / to_seconds(StepModel(world).healthy()) *
                        tokens_per_step(world.job) / 1e12);
  return problem;
}

/// "119,210"
std::string with_commas(std::int64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

/// `tokens`: the work is given in tokens.
Problem too_much(const JobModel& job, double steps, Duration step, bool tokens) {
  Problem problem{.file = "",
                  .what = "the work",
                  .why = fmt::format("takes more than 100 years without any fault: {:.3g} steps of {}", steps,
                                     to_text(step)),
                  .suggestion = ""};
  if (steps > kMostSteps) problem.why = fmt::format("has {:.3g} steps, more than {:g}", steps, kMostSteps);
  const double most = std::min(kMostSteps, std::floor(to_seconds(kLongest) / to_seconds(step)));
  problem.suggestion = tokens ? "give at most " + most_tokens_text(most * tokens_per_step(job)) + " tokens"
                              : fmt::format("give at most {:.0f} steps", most);
  return problem;
}

}  // namespace

std::int64_t steps_for(double tokens, const JobModel& job) {
  return static_cast<std::int64_t>(std::ceil(std::min(tokens / tokens_per_step(job), 9e18)));
}

Duration shortest_run(const World& world) {
  const JobModel& job = world.job;
  const Duration steps = times(job.steps, StepModel(world).healthy());
  if (job.window == Duration::zero() || job.steps == 0) return std::max(job.window, steps);
  return std::min(job.window, steps);
}

Work work_of(const Scenario& base, std::optional<double> tokens, Duration finish_by) {
  const JobModel& job = base.world.job;
  Work work;
  if (!tokens && job.steps == 0) {
    work.problem = no_work(base.world);
    return work;
  }
  const double given = job.tokens > 0 ? job.tokens : static_cast<double>(job.steps) * tokens_per_step(job);
  work.tokens = tokens.value_or(given);
  const double asked = tokens ? std::ceil(*tokens / tokens_per_step(job)) : static_cast<double>(job.steps);
  const Duration step = StepModel(base.world).healthy();
  const double healthy = asked * to_seconds(step);
  if (asked > kMostSteps || healthy > to_seconds(kLongest)) {
    work.problem = too_much(job, asked, step, tokens || job.tokens > 0);
    return work;
  }
  const std::int64_t steps = tokens ? steps_for(*tokens, job) : job.steps;
  work.sets.push_back(fmt::format("job.steps={}", steps));
  if (tokens && job.steps > 0)
    work.notes.push_back(fmt::format("--tokens replaces the work of the scenario, {:.3g}T tokens ({} steps).",
                                     given / 1e12, with_commas(job.steps)));
  Duration horizon = from_seconds(kHorizon * std::max(healthy, to_seconds(finish_by)));
  horizon = std::max(horizon, kLeastHorizon);
  // The horizon is a window that nobody wrote: no checkpoint interval is longer, and no planned stop is after it.
  if (const Duration interval = base.policies.checkpoint.interval; interval != kForever)
    horizon = std::max(horizon, interval);
  for (const PlannedStop& stop : job.planned_stops)
    horizon = std::max(horizon, stop.at - kStart + kLeastHorizon);
  lift_window(job, std::clamp(horizon, job.window, std::max(kLongest, job.window)), work);
  return work;
}

}  // namespace gauntlet
