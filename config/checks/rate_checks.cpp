#include "config/checks/rate_checks.hpp"

#include "config/checks/expectations.hpp"
#include "config/checks/step_checks.hpp"
#include "core/infinity.hpp"
#include "models/step/step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

namespace gauntlet {
namespace {

/// More of a kind would take a replica minutes: most often a unit that was mistaken.
constexpr double kMostInRun = 1e8;
/// A run keeps each fault and each evaluation until it is scored, in 200 to 420 bytes: more of a kind would take over 2 GB.
constexpr double kMostKept = 5e6;
/// More that wait for their end at once do not fit in the engine's queue.
constexpr double kMostAtOnce = 1e6;
constexpr double kSecondsOfYear = 365 * 86400.0, kCentury = 100 * kSecondsOfYear;

std::string count_text(double count) {
  return std::isfinite(count) ? std::to_string(static_cast<std::uint64_t>(std::min(count, 1e18)))
                              : "infinitely many";
}

class RateChecks {
 public:
  RateChecks(const Place& root, const World& world)
      : root_(&root),
        seconds_(world.job.window > Duration::zero() ? to_seconds(world.job.window) : kSecondsOfYear) {}

  double seconds() const { return seconds_; }

  /// Checks what comes `rate` times per second, over a whole run.
  void comes(const std::string& path, double rate) const { comes(path, rate, seconds_); }
  /// Checks what comes `rate` times per second, over `seconds` seconds.
  void comes(const std::string& path, double rate, double seconds) const {
    refuse_more(path, rate * seconds, kMostInRun, to_text(from_seconds(seconds)));
  }
  /// Checks what a run keeps in memory, and what comes `count` times in the time or in the steps that `in` names.
  void keeps(const std::string& path, double count, const std::string& in) const {
    refuse_more(path, count, kMostKept, in);
  }
  /// Checks what comes `rate` times per second and lasts for `law`, which the scenario states at `path`.
  void lasts(const std::string& path, double rate, const Law& law) const {
    const double at_once = rate * std::min(law.mean(), seconds_);
    if (!(at_once > kMostAtOnce) || !root_->sound(path)) return;
    root_->mistake_at(path, "lasts so long that " + count_text(at_once) + " of them overlap",
                      "make it shorter or less frequent: a run can hold at most " + count_text(kMostAtOnce) +
                          " of one kind at the same time");
  }

 private:
  void refuse_more(const std::string& path, double count, double most, const std::string& in) const {
    if (!(count > most) || !root_->sound(path)) return;
    root_->mistake_at(path, "comes " + count_text(count) + " times in " + in,
                      "make it less frequent: a run can have at most " + count_text(most) + " of one kind");
  }

  const Place* root_;
  double seconds_;  // the length of a run
};

/// How many faults wait for their end at once. How many there are in all: check_kept_faults().
void check_faults(const RateChecks& check, const World& world) {
  for (const FaultKind& fault : world.faults) {
    const std::string path = "faults." + fault.name;
    const double rate = expected_rate(world, fault);
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

/// Seconds of a run for these limits: the window. Without a window: a year, or 100 times the work if that is shorter, because short
/// drills have many events.
double seconds_of_run(const RateChecks& check, const JobModel& job, double step) {
  if (job.window > Duration::zero()) return check.seconds();
  return std::min(check.seconds(), 100 * static_cast<double>(job.steps) * step);
}

/// What agents send at regular times is seldom simulated one by one: how long a run lasts matters less than how often it comes.
/// So it is counted over a year at most.
void check_samples(const RateChecks& check, const World& world, double step) {
  const double seconds = std::min(seconds_of_run(check, world.job, step), kSecondsOfYear);
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

/// The rate that lies furthest below that of an H100: most likely what was mistyped.
struct ModelRate {
  const char* path;
  double value;  // in base units
  double usual;
  const char* text;  // the usual one, as a scenario says it
};
ModelRate slowest(const World& world) {
  const Hardware& hardware = world.hardware;
  const Calibration& stack = world.job.calibration;
  const ModelRate all[] = {
      {"cluster.hardware.peak", hardware.peak.value, 989.5e12, "\"989.5TFLOP/s\""},
      {"cluster.hardware.memory_bandwidth", hardware.memory_bandwidth.value, 3.35e12, "\"3.35TB/s\""},
      {"cluster.hardware.nvlink", hardware.nvlink.value, 900e9, "\"900GB/s\""},
      {"cluster.hardware.nic", hardware.nic.value, 50e9, "\"400Gb/s\""},
      {"job.calibration.gemm_efficiency", stack.gemm_efficiency, 1, "0.7"},
      {"job.calibration.memory_efficiency", stack.memory_efficiency, 1, "0.8"}};
  return *std::ranges::min_element(all, {}, [](const ModelRate& each) { return each.value / each.usual; });
}

/// False where the step model's times are not numbers: what is slowed by them would never end.
bool check_step(const Place& root, const World& world, const StepModel& model) {
  if (model.is_computable()) return true;
  const ModelRate rate = slowest(world);
  root.mistake_at(rate.path, "is so low that the time of a step cannot be computed",
                  std::string("write what the hardware has, such as ") + rate.text);
  return false;
}

void check_kept_faults(const RateChecks& check, const World& world, double step) {
  const double seconds = seconds_of_run(check, world.job, step);
  for (const FaultKind& fault : world.faults)
    check.keeps("faults." + fault.name, expected_rate(world, fault) * seconds,
                to_text(from_seconds(seconds)));
}

/// Evaluations stop at the end of the work or of the window, whichever comes first. At least one of the two is given.
void check_evaluations(const RateChecks& check, const JobModel& job, double step) {
  if (job.evaluation.every == 0) return;
  const double every = static_cast<double>(job.evaluation.every);
  const double forever = kInfinity;
  const double in_window = job.window > Duration::zero()
                               ? check.seconds() / (every * step + to_seconds(job.evaluation.time))
                               : forever;
  const double in_work = job.steps > 0 ? static_cast<double>(job.steps) / every : forever;
  if (in_window <= in_work) return check.keeps("job.evaluation.every", in_window, to_text(job.window));
  check.keeps("job.evaluation.every", in_work, count_text(static_cast<double>(job.steps)) + " steps");
}

/// Warns if a healthy step takes longer than `job.give_up_after`: the run would end before its first step.
void warn_of_endless_step(const Place& root, const World& world, double step) {
  const Duration patience = world.job.give_up_after;
  if (step < to_seconds(patience)) return;
  root.warning_at("job.give_up_after",
                  "is not longer than a healthy step, which takes " +
                      (step < kCentury ? to_text(from_seconds(step)) : "more than 100 years"),
                  "the run ends before its first step: `gauntlet step` shows what takes so long");
}

}  // namespace

void check_rates(const Place& root, const Scenario& scenario) {
  if (!root.mistakes().none()) return;
  const World& world = scenario.world;
  const RateChecks check(root, world);
  check_faults(check, world);
  check_other_jobs(check, world.shared);
  check_telemetry(check, world);
  const StepModel model(world);
  if (!check_step(root, world, model)) return;
  check_step_time_factor(root, world, model);
  if (world.job.step_time == Duration::zero()) check_work(root, "job.", world.job, model.healthy());
  const double step = to_seconds(model.healthy());
  check_samples(check, world, step);
  check_kept_faults(check, world, step);
  check_evaluations(check, world.job, step);
  warn_of_endless_step(root, world, step);
}

}  // namespace gauntlet
