// Every fault model of the registry on the 8-host cluster, with every detector that there is.
#pragma once

#include "models/fault/registry.hpp"
#include "policies/controller/registry.hpp"
#include "tests/campaign/small_worlds.hpp"

#include <algorithm>

namespace gauntlet {

/// Eight hosts under four switches, with noisy and late telemetry, and people who notice in the end.
inline World observed_world() {
  World world = eight_hosts();
  world.inventory.spares = 3;
  world.telemetry.delay = kSecond / 2;
  world.telemetry.clock_error = kSecond / 10;
  world.telemetry.noise = 0.02;
  world.telemetry.abort_hop = kSecond;
  world.people.notice = Law::constant(3600);
  world.job.window = 12 * kHour;
  world.probes.push_back(
      {.name = "pairs", .time = kMinute, .group = 2, .false_positive = {0.005}, .detects = {}, .source = ""});
  return world;
}

/// The fault kinds of all models, none of which strikes by itself. Their lines join the world's patterns.
inline std::vector<FaultKind> every_model(World& world) {
  std::vector<FaultKind> kinds;
  const auto models = fault_models();
  for (const FaultModel& model : models) {
    FaultKind kind = model.kind;
    kind.name = model.name;
    kind.model = model.name;
    kind.life = Law::exponential(1e15);
    if (!model.log.empty()) {
      auto& patterns = world.patterns;
      const auto found = std::find(patterns.begin(), patterns.end(), model.log);
      kind.symptoms.log = PatternId{static_cast<std::uint32_t>(found - patterns.begin())};
      if (found == patterns.end()) patterns.push_back(model.log);
    }
    if (!model.followed_by.empty()) {
      const auto next = std::find_if(models.begin(), models.end(),
                                     [&](const FaultModel& each) { return each.name == model.followed_by; });
      kind.followed_by = FollowedBy{
          {static_cast<std::uint32_t>(next - models.begin())}, model.follow_probability, model.follow_after};
    }
    kinds.push_back(kind);
  }
  return kinds;
}

/// All detectors but those named, over the world's lines.
inline PolicyConstants every_policy(const World& world, const std::vector<std::string>& detect,
                                    const std::string& diagnose) {
  PolicyConstants policies = every_detector();
  policies.names.detect = detect;
  policies.names.diagnose = diagnose;
  policies.detection.gather = 15 * kSecond;
  policies.detection.lines.clear();
  for (std::uint32_t p = kVictimsPatterns; p < world.patterns.size(); ++p) {
    const bool flap = world.patterns[p] == "nic_down";
    policies.detection.lines.push_back({PatternId{p}, flap ? LineAction::ignore : LineAction::replace});
    if (flap) policies.detection.flap.lines.push_back(PatternId{p});
  }
  policies.detection.flap.least_down = {};
  policies.diagnosis.suite = {{ProbeId{0}}, {ProbeId{1}, 2}};
  return policies;
}

inline std::vector<std::string> all_detectors() { return {detector_names().begin(), detector_names().end()}; }

}  // namespace gauntlet
