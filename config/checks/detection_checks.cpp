#include "config/checks/detection_checks.hpp"

#include "config/checks/expectations.hpp"
#include "core/saturating.hpp"
#include "core/text.hpp"
#include "models/step/step.hpp"
#include "models/storage/storage.hpp"
#include "policies/controller/registry.hpp"
#include "policies/custom/custom_policy.hpp"
#include "policies/detect/peers.hpp"
#include "policies/detect/stages.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

/// "a", "b" and "c"; each once.
std::string listed(std::vector<std::string> names) {
  std::vector<std::string> each;
  for (std::string& name : names)
    if (std::find(each.begin(), each.end(), name) == each.end()) each.push_back(std::move(name));
  std::string out;
  for (std::size_t i = 0; i < each.size(); ++i)
    out += (i == 0 ? "" : i + 1 == each.size() ? " and " : ", ") + in_quotes(each[i]);
  return out;
}

/// Of these signals those that agents do not report.
std::vector<std::string> missing(const Telemetry& telemetry, std::span<const Signal> wanted) {
  std::vector<std::string> out;
  for (const Signal signal : wanted) {
    const auto index = static_cast<std::size_t>(signal);
    if (!telemetry.carries[index]) out.emplace_back(kSignalNames[index]);
  }
  return out;
}

/// All that is missing at once: a list that is mended signal by signal is mended slowly.
void check_signals(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("telemetry.signals", "policies.detect", "policies.diagnose")) return;
  const Telemetry& telemetry = scenario.world.telemetry;
  const PolicyNames& policies = scenario.policies.names;
  const auto complain = [&](const std::string& path, const std::vector<std::string>& signals,
                            const std::string& who) {
    const bool one = std::all_of(signals.begin(), signals.end(),
                                 [&](const std::string& signal) { return signal == signals.front(); });
    root.mistake_at(
        path,
        (one ? "needs the signal " : "needs the signals ") + listed(signals) +
            ", which telemetry.signals does not have: " + who,
        std::string("add ") + (one ? "it" : "them") + " to telemetry.signals, or leave " + who + " out");
  };
  std::vector<std::string> lacking, detectors;
  for (const std::string& name : policies.detect) {
    const auto* custom = scenario.policies.custom.get();
    if (custom != nullptr && custom->detector(name) != nullptr) continue;  // it knows itself what it watches
    const std::vector<std::string> signals = missing(telemetry, signals_of_detector(name));
    if (!signals.empty()) detectors.push_back(name);
    lacking.insert(lacking.end(), signals.begin(), signals.end());
  }
  if (!lacking.empty())
    complain("policies.detect", lacking,
             (detectors.size() == 1 ? "the detector " : "the detectors ") + listed(detectors));
  const std::vector<std::string> asked = missing(telemetry, signals_of_diagnoser(policies.diagnose));
  if (!asked.empty()) complain("policies.diagnose", asked, "the diagnosis " + in_quotes(policies.diagnose));
}

bool uses(const Scenario& scenario, std::string_view detector) {
  const auto& names = scenario.policies.names.detect;
  return std::find(names.begin(), names.end(), detector) != names.end();
}

void check_heartbeats(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("detection.timeout", "telemetry.heartbeat_period", "telemetry.heartbeat_jitter"))
    return;
  const Telemetry& telemetry = scenario.world.telemetry;
  const Duration longest = sum(telemetry.heartbeat_period, telemetry.heartbeat_jitter);
  if (scenario.policies.detection.heartbeat_timeout > longest) return;
  root.mistake_at("detection.timeout",
                  "is not above a heartbeat's period and jitter together, " + to_text(longest),
                  "every host would count as lost: write \"" + to_text(times(2, longest)) + "\"");
}

/// Between two samples of traffic there is silence, also in a job that is well.
void check_traffic(const Place& root, const Scenario& scenario) {
  constexpr const char* kLasting = "detection.traffic_stopped.lasting";
  if (!uses(scenario, "traffic-stopped") ||
      !root.all_sound(kLasting, "telemetry.traffic_interval", "policies.detect"))
    return;
  const Duration interval = scenario.world.telemetry.traffic_interval;
  if (scenario.policies.detection.traffic_stopped.lasting >= interval) return;
  root.mistake_at(kLasting, "is below telemetry.traffic_interval, " + to_text(interval),
                  "the job would be stopped between any two samples of traffic: write \"" +
                      to_text(times(2, interval)) + "\"");
}

constexpr Duration kNoStep = kForever / 8;  // 36 years

/// The time of a step. With a mistyped bandwidth of the hardware it may be infinite.
Duration step_time(const World& world) {
  const bool given = world.job.step_time > Duration::zero();
  return std::min(given ? world.job.step_time : StepModel(world).healthy(), kNoStep);
}

/// Of a checkpoint to any tier that is used: one that goes further passes through the quicker tiers.
Duration longest_stall(const Scenario& scenario) {
  const CheckpointConstants& checkpoint = scenario.policies.checkpoint;
  const bool peers = checkpoint.peers_interval != kForever;
  const bool memory =
      checkpoint.memory_interval != kForever || (scenario.policies.names.checkpoint == "two-level" && !peers);
  const CheckpointCosts costs = checkpoint_costs(scenario.world);
  Duration longest = costs[Tier::storage].stall;
  if (peers) longest = std::max(longest, costs[Tier::peers].stall);
  if (memory) longest = std::max(longest, costs[Tier::memory].stall);
  return longest;
}

/// The longest time between two steps of a job that is well, as far as the scenario says.
Duration longest_step(const Scenario& scenario) {
  return step_time(scenario.world) + std::min(longest_stall(scenario), kNoStep);
}

void check_hang_timeouts(const Place& root, const Scenario& scenario) {
  const bool asked =
      uses(scenario, "hang") || uses(scenario, "learned-hang") || uses(scenario, "traffic-stopped");
  if (!asked || !root.all_sound("job", "storage", "cluster", "spares", "checkpoint", "policies.detect",
                                "policies.checkpoint"))
    return;
  const Duration longest = longest_step(scenario);
  if (longest >= kNoStep) return;  // `gauntlet step` says which part it is
  const auto check = [&](std::string_view detector, const std::string& path, Duration timeout) {
    if (!uses(scenario, detector) || !root.sound(path) || timeout > longest) return;
    root.mistake_at(path, "is not above a step and the stall of a checkpoint together, " + to_text(longest),
                    "every checkpoint would count as a hang: write \"" + to_text(times(2, longest)) + "\"");
  };
  const DetectionConstants& detection = scenario.policies.detection;
  check("hang", "detection.hang_timeout", detection.hang_timeout);
  check("learned-hang", "detection.hang_timeout", detection.hang_timeout);
  check("learned-hang", "detection.learned_hang.floor", detection.learned_hang.floor);
  check("traffic-stopped", "detection.traffic_stopped.lasting", detection.traffic_stopped.lasting);
}

/// No step completes while a model is evaluated. `learned-hang` may learn from one, and then again from none.
void warn_of_evaluations(const Place& root, const Scenario& scenario) {
  const Evaluation& evaluation = scenario.world.job.evaluation;
  if (evaluation.every == 0 || !root.all_sound("job", "storage", "cluster", "spares", "policies.detect"))
    return;
  const Duration step = step_time(scenario.world);
  const Duration silence = std::min(evaluation.time, kNoStep) + step;
  if (step >= kNoStep) return;
  const auto warn = [&](std::string_view detector, const std::string& path, Duration timeout) {
    if (!uses(scenario, detector) || !root.sound(path) || timeout > silence) return;
    root.warning_at(
        path, "is not above an evaluation and a step together, " + to_text(silence),
        "every evaluation (job.evaluation) would be taken for a hang, and the job stopped: write \"" +
            to_text(times(2, silence)) + "\"");
  };
  const DetectionConstants& detection = scenario.policies.detection;
  warn("hang", "detection.hang_timeout", detection.hang_timeout);
  warn("learned-hang", "detection.hang_timeout", detection.hang_timeout);
  warn("learned-hang", "detection.learned_hang.floor", detection.learned_hang.floor);
}

/// Of stalls that crash, from which on it is said: fewer are lost in the scatter of a study.
constexpr double kStallsWorthAWord = 0.01;

/// "12%", "0.3%"
std::string in_percent(double share) {
  const auto tenths = static_cast<int>(1000 * share + 0.5);
  const std::string whole = std::to_string(tenths / 10);
  return (tenths < 100 && tenths % 10 != 0 ? whole + "." + std::to_string(tenths % 10) : whole) + "%";
}

/// To the second, or the millisecond of what is short.
std::string in_round_figures(double seconds) {
  const double step = seconds >= 10 ? 1 : 1e-3;
  return to_text(from_seconds(static_cast<double>(static_cast<std::int64_t>(seconds / step + 0.5)) * step));
}

/// A stall that outlasts the collective timeout is a crash. The longest of them count, not the mean.
void warn_of_stalls(const Place& root, const Scenario& scenario) {
  if (!root.sound("detection.collective_timeout")) return;
  const Duration timeout = scenario.policies.detection.collective_timeout;
  for (const FaultKind& fault : scenario.world.faults) {
    const std::string path = "faults." + fault.name;
    if (fault.effect != Effect::stall || !fault.heals_after || !root.sound(path)) continue;
    // A stall of just the timeout has been waited for too long as well.
    const double crashes = fault.heals_after->survival(to_seconds(timeout - Duration(1)));
    if (crashes < kStallsWorthAWord) continue;
    constexpr Duration kSecond = std::chrono::seconds(1);
    const Duration longest = from_seconds(fault.heals_after->time_at_survival(kStallsWorthAWord));
    const Duration enough =
        kSecond + std::chrono::floor<std::chrono::seconds>(std::min(longest, kForever - kSecond));
    root.warning_at("detection.collective_timeout",
                    "is outlasted by " + in_percent(crashes) + " of the stalls of " + path + ", which last " +
                        in_round_figures(fault.heals_after->mean()) + " on average",
                    "ranks give up before those heal, and they become crashes; 99% are shorter than \"" +
                        to_text(enough) + "\"");
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

/// Detectors of which one does the other's work.
void warn_of_twins(const Place& root, const Scenario& scenario) {
  if (!root.sound("policies.detect")) return;
  const auto both = [&](std::string_view one, std::string_view other, const std::string& what,
                        const std::string& consequence) {
    if (!uses(scenario, one) || !uses(scenario, other)) return;
    root.warning_at("policies.detect",
                    "has both " + in_quotes(one) + " and " + in_quotes(other) + ", which watch " + what,
                    consequence + "; leave one of them out");
  };
  both("hang", "learned-hang", "the same silence of steps",
       "the shorter timeout stops the job, mostly the learned one, and the other never acts");
  both("fail-slow", "change-point", "the same timings",
       "whichever names a slow host first has it replaced, and neither is tried alone");
}

/// Who is alone with his work cannot be slower than others.
void warn_of_few_peers(const Place& root, const Scenario& scenario) {
  if (!root.all_sound("policies.detect", "faults", "cluster", "job.layout")) return;
  const World& world = scenario.world;
  const bool slow = std::any_of(world.faults.begin(), world.faults.end(),
                                [](const FaultKind& fault) { return fault.effect == Effect::slow; });
  // Nobody asked for it, and there is nothing to find.
  if (!slow && scenario.policies.names.detect == detectors_for(world.telemetry)) return;
  std::vector<std::string> who;
  for (const char* detector : {"fail-slow", "change-point"})
    if (uses(scenario, detector)) who.emplace_back(detector);
  std::uint32_t stages = 0, blind = 0, fewest = kFewestPeers;
  for (std::uint32_t stage = 0; stage < world.job.layout.pp; ++stage) {
    const std::uint32_t hosts = slots_of_stage(world.inventory, stage);
    if (hosts == 0) continue;  // its hosts count to the stage before
    ++stages;
    if (hosts < kFewestPeers) ++blind;
    fewest = std::min(fewest, hosts);
  }
  if (who.empty() || blind == 0) return;
  root.warning_at("policies.detect",
                  "has " + listed(who) +
                      ", which compares the hosts of a pipeline stage, five or more, and " +
                      std::to_string(blind) + " of " + std::to_string(stages) +
                      " stages have fewer (as few as " + std::to_string(fewest) + ")",
                  "a host that is slow there is not found by its timings");
}

}  // namespace

void check_detection(const Place& root, const Scenario& scenario) {
  check_signals(root, scenario);
  check_heartbeats(root, scenario);
  check_traffic(root, scenario);
  check_hang_timeouts(root, scenario);
  warn_of_evaluations(root, scenario);
  warn_of_stalls(root, scenario);
  warn_of_noise(root, scenario);
  warn_of_twins(root, scenario);
  warn_of_few_peers(root, scenario);
}

}  // namespace gauntlet
