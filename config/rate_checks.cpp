#include "config/rate_checks.hpp"

#include "config/expectations.hpp"
#include "models/step/step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace gauntlet {
namespace {

/// More of a kind would take a replica minutes: most often a unit that was mistaken.
constexpr double kMostInRun = 1e8;
/// More that wait for their end at once do not fit in the engine's queue.
constexpr double kMostAtOnce = 1e6;
constexpr double kSecondsOfYear = 365 * 86400.0, kCentury = 100 * kSecondsOfYear;

std::string text(double count) {
  return std::isfinite(count) ? std::to_string(static_cast<std::uint64_t>(std::min(count, 1e18)))
                              : "no end of";
}

class RateChecks {
 public:
  RateChecks(const Place& root, const World& world)
      : root_(&root),
        seconds_(world.job.window > Duration::zero() ? to_seconds(world.job.window) : kSecondsOfYear) {}

  double seconds() const { return seconds_; }

  /// What comes so often in each second, of a run.
  void comes(const std::string& path, double rate) const { comes(path, rate, seconds_); }
  /// ... of so many seconds.
  void comes(const std::string& path, double rate, double seconds) const {
    const double count = rate * seconds;
    if (!(count > kMostInRun) || !root_->sound(path)) return;
    root_->mistake_at(path, "comes " + text(count) + " times in " + to_text(from_seconds(seconds)),
                      "let it be rarer: a run takes at most " + text(kMostInRun) + " of a kind");
  }
  /// What comes so often in each second, and lasts for `law`, which the scenario says at `path`.
  void lasts(const std::string& path, double rate, const Law& law) const {
    const double at_once = rate * std::min(law.mean(), seconds_);
    if (!(at_once > kMostAtOnce) || !root_->sound(path)) return;
    root_->mistake_at(
        path, "lasts so long that " + text(at_once) + " are there at once",
        "let it be shorter, or come less often: a run holds at most " + text(kMostAtOnce) + " of a kind");
  }

 private:
  const Place* root_;
  double seconds_;  // that a run lasts
};

void check_faults(const RateChecks& check, const World& world) {
  for (const FaultKind& fault : world.faults) {
    const std::string path = "faults." + fault.name;
    const double rate = expected_rate(world, fault);
    check.comes(path, rate);
    if (fault.symptoms.log) check.lasts(path + ".log_delay", rate, fault.symptoms.log_delay);
    if (fault.followed_by && fault.followed_by->probability.value > 0)
      check.lasts(path + ".followed_by.after", rate * fault.followed_by->probability.value,
                  fault.followed_by->after);
  }
}

void check_other_jobs(const RateChecks& check, const SharedCluster& shared) {
  for (const OtherJob& job : shared.jobs) {
    // Each time, those that run are looked at.
    const double looked_at = std::max(1.0, 5.0 * shared.hosts / job.hosts);
    check.comes("cluster.shared.jobs." + job.name, looked_at / job.arrives.mean());
  }
}

/// What agents send at regular times is seldom simulated one by one: how long a run lasts matters less than how often it comes.
/// So it is counted over a year at most, and in a job without a window over a hundred times what its work takes: drills are
/// short, and send often.
void check_samples(const RateChecks& check, const World& world, double step) {
  const double work = 100 * static_cast<double>(world.job.steps) * step;
  const double longest = world.job.window > Duration::zero() ? kSecondsOfYear : work;
  const double seconds = std::min({check.seconds(), kSecondsOfYear, longest});
  check.comes("telemetry.heartbeat_period", 1 / to_seconds(world.telemetry.heartbeat_period), seconds);
  check.comes("telemetry.traffic_interval", 1 / to_seconds(world.telemetry.traffic_interval), seconds);
}

/// Of each host.
void check_telemetry(const RateChecks& check, const World& world) {
  const Telemetry& telemetry = world.telemetry;
  const double hosts = world.inventory.hosts();
  if (telemetry.gap_mtbf > Duration::zero()) {
    const double rate = hosts / to_seconds(telemetry.gap_mtbf);
    check.comes("telemetry.gap_mtbf", rate);
    check.lasts("telemetry.gap_duration", rate, telemetry.gap_duration);
  }
  if (telemetry.blip_mtbf > Duration::zero()) {
    const double rate = hosts / to_seconds(telemetry.blip_mtbf);
    check.comes("telemetry.blip_mtbf", rate);
    check.lasts("telemetry.blip_duration", rate, telemetry.blip_duration);
  }
}

double seconds_of_step(const World& world) {
  return to_seconds(world.job.step_time > Duration::zero() ? world.job.step_time
                                                           : StepModel(world).healthy());
}

void check_evaluations(const RateChecks& check, const JobModel& job, double step) {
  if (job.evaluation.every == 0) return;
  const double apart = static_cast<double>(job.evaluation.every) * step + to_seconds(job.evaluation.time);
  check.comes("job.evaluation.every", 1 / apart);
}

/// No step of it would ever be complete.
void warn_of_endless_step(const Place& root, const World& world, double step) {
  const Duration patience = world.job.give_up_after;
  if (step < to_seconds(patience)) return;
  root.warning_at("job.give_up_after",
                  "is not longer than a healthy step, which takes " +
                      (step < kCentury ? to_text(from_seconds(step)) : "more than 100 years"),
                  "the run ends without one: `gauntlet step` says what takes so long");
}

}  // namespace

void check_rates(const Place& root, const Scenario& scenario) {
  if (!root.mistakes().none()) return;
  const World& world = scenario.world;
  const RateChecks check(root, world);
  check_faults(check, world);
  check_other_jobs(check, world.shared);
  check_telemetry(check, world);
  const double step = seconds_of_step(world);
  check_samples(check, world, step);
  check_evaluations(check, world.job, step);
  warn_of_endless_step(root, world, step);
}

}  // namespace gauntlet
