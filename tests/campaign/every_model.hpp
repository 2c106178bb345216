// Every fault model of the catalogue on the 8-host cluster, with every detector that there is.
#pragma once

#include "policies/controller/registry.hpp"
#include "tests/campaign/small_worlds.hpp"
#include "tests/config/every_model.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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
  std::vector<FaultKind> kinds = world_of_all_models().faults;
  for (FaultKind& kind : kinds) {
    kind.life = Law::exponential(1e15);
    if (!kind.symptoms.log) continue;
    const std::string& line = world_of_all_models().patterns.at(kind.symptoms.log->value);
    const auto found = std::find(world.patterns.begin(), world.patterns.end(), line);
    kind.symptoms.log = PatternId{static_cast<std::uint32_t>(found - world.patterns.begin())};
    if (found == world.patterns.end()) world.patterns.push_back(line);
  }
  return kinds;
}

inline std::size_t index_of(const std::vector<FaultKind>& kinds, std::string_view name) {
  const auto named = [&](const FaultKind& kind) { return kind.name == name; };
  return static_cast<std::size_t>(std::find_if(kinds.begin(), kinds.end(), named) - kinds.begin());
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
