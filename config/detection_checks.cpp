#include "config/detection_checks.hpp"

#include "config/expectations.hpp"
#include "models/step/step.hpp"
#include "policies/registry.hpp"

#include <algorithm>
#include <limits>
#include <string>

namespace gauntlet {
namespace {

std::string in_quotes(std::string_view name) { return "\"" + std::string(name) + "\""; }

/// The first of these signals that agents do not report, or an empty name.
std::string_view missing(const Telemetry& telemetry, std::span<const Signal> wanted) {
  for (const Signal signal : wanted) {
    const auto index = static_cast<std::size_t>(signal);
    if (!telemetry.carries[index]) return kSignalNames[index];
  }
  return {};
}

void check_signals(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("telemetry.signals", "policies.detect", "policies.diagnose")) return;
  const PolicyNames& policies = scenario.policies.names;
  const auto complain = [&](const std::string& path, std::string_view signal, const std::string& who) {
    root.mistake_at(
        path, "needs the signal " + in_quotes(signal) + ", which telemetry.signals does not have: " + who,
        "add it to telemetry.signals, or leave " + who + " out");
  };
  for (const std::string& name : policies.detect) {
    const std::string_view lacking = missing(scenario.world.telemetry, signals_of_detector(name));
    if (!lacking.empty()) complain("policies.detect", lacking, "the detector " + in_quotes(name));
  }
  const std::string_view lacking = missing(scenario.world.telemetry, signals_of_diagnoser(policies.diagnose));
  if (!lacking.empty())
    complain("policies.diagnose", lacking, "the diagnosis " + in_quotes(policies.diagnose));
}

bool uses(const Scenario& scenario, std::string_view detector) {
  const auto& names = scenario.policies.names.detect;
  return std::find(names.begin(), names.end(), detector) != names.end();
}

void check_heartbeats(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("detection.timeout", "telemetry.heartbeat_period", "telemetry.heartbeat_jitter"))
    return;
  const Telemetry& telemetry = scenario.world.telemetry;
  const Duration longest = telemetry.heartbeat_period + telemetry.heartbeat_jitter;
  if (scenario.policies.detection.heartbeat_timeout > longest) return;
  root.mistake_at("detection.timeout",
                  "is not above a heartbeat's period and jitter together, " + to_text(longest),
                  "every host would count as lost: write \"" + to_text(2 * longest) + "\"");
}

/// The longest time between two steps of a job that is well, as far as the scenario says.
Duration longest_step(const World& world) {
  const bool given = world.job.step_time > Duration::zero();
  return (given ? world.job.step_time : StepModel(world).healthy()) + expected_checkpoint_cost(world);
}

void check_hang_timeouts(const Place& root, const Scenario& scenario) {
  const bool asked =
      uses(scenario, "hang") || uses(scenario, "learned-hang") || uses(scenario, "traffic-stopped");
  if (!asked || !root.all_sound("job", "storage", "cluster", "spares", "checkpoint", "policies.detect"))
    return;
  const Duration longest = longest_step(scenario.world);
  const auto check = [&](std::string_view detector, const std::string& path, Duration timeout) {
    if (!uses(scenario, detector) || !root.sound(path) || timeout > longest) return;
    root.mistake_at(path, "is not above a step and the stall of a checkpoint together, " + to_text(longest),
                    "every checkpoint would count as a hang: write \"" + to_text(2 * longest) + "\"");
  };
  const DetectionConstants& detection = scenario.policies.detection;
  check("hang", "detection.hang_timeout", detection.hang_timeout);
  check("learned-hang", "detection.hang_timeout", detection.hang_timeout);
  check("learned-hang", "detection.learned_hang.floor", detection.learned_hang.floor);
  check("traffic-stopped", "detection.traffic_stopped.lasting", detection.traffic_stopped.lasting);
}

/// A stall that outlasts the collective timeout is a crash.
void warn_of_stalls(const Place& root, const Scenario& scenario) {
  if (!root.sound("detection.collective_timeout")) return;
  const Duration timeout = scenario.policies.detection.collective_timeout;
  for (const FaultKind& fault : scenario.world.faults) {
    const std::string path = "faults." + fault.name;
    if (fault.effect != Effect::stall || !fault.heals_after || !root.sound(path)) continue;
    const Duration stall = from_seconds(fault.heals_after->mean());
    if (stall < timeout) continue;
    root.warning_at("detection.collective_timeout",
                    "is not above the " + to_text(stall) + " that a stall of " + path + " lasts on average",
                    "ranks give up before it heals, and stalls become crashes");
  }
}

void warn_of_noise(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("telemetry.noise", "detection.fail_slow", "policies.detect")) return;
  const double noise = scenario.world.telemetry.noise;
  if (!(uses(scenario, "fail-slow") || uses(scenario, "change-point")) ||
      scenario.policies.detection.fail_slow.least_excess > 2 * noise)
    return;
  root.warning_at("detection.fail_slow.least_excess",
                  "is not above twice the noise of timings, telemetry.noise",
                  "healthy hosts may leave the band: evictions of the wrong hosts, and a slower simulation");
}

}  // namespace

void check_detection(const Place& root, const Scenario& scenario) {
  check_signals(root, scenario);
  check_heartbeats(root, scenario);
  check_hang_timeouts(root, scenario);
  warn_of_stalls(root, scenario);
  warn_of_noise(root, scenario);
}

}  // namespace gauntlet
