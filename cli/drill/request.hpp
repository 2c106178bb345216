// What `gauntlet drill` is asked for.
#pragma once

#include "cli/launchers.hpp"
#include "config/scenario.hpp"
#include "real/driver/drill.hpp"
#include "real/system/rank_user.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {

struct DrillRequest {
  std::string scenario;
  std::vector<std::string> sets;
  std::uint32_t hosts = 0;            // agents to start: the scenario's hosts and spares
  std::optional<std::uint64_t> seed;  // the scenario's, where not given
  std::string record;                 // an unfinished one goes on; empty: none is kept
  std::string out;
  LaunchRequest launch;        // as far as the command line says it
  std::string metrics;         // a port; empty: none is served
  std::string log;             // empty: in the directory of the drill alone
  std::string segments;        // a database of the times of segments; empty: none is kept
  std::string segments_queue;  // settings of a topic that they are sent to; empty: to none
  std::uint32_t repeat = 0;    // drills; 0: one, without the form of many
  bool vary_seed = false;
  bool json = false;
  bool no_faults = false;
  bool against_simulation = false;
  bool dry_run = false;
};

/// The scenario as the results need it.
struct ResolvedScenario {
  std::string annotated;  // for people
  std::string values;     // what makes it the same
  Value tree;             // with where each value is written
};

/// A drill that was checked. The references outlive it.
struct DrillTask {
  const DrillRequest& request;
  const Scenario& scenario;
  const ResolvedScenario& resolved;
  const ProbeMeasures& probes;

  std::uint64_t seed() const { return request.seed.value_or(scenario.study.seed); }
};

/// This program, and the trainer beside it.
std::string own_path();
std::string trainer_path();

/// Nothing where the text is not a port.
std::optional<std::uint16_t> port_of(const std::string& text);

/// The user of --run-as; empty where ranks run as this process does, or where there is no such user.
std::optional<RankUser> user_of(const DrillRequest& request);

/// "; the same command continues from FILE" where that is so.
std::string continuation_of(const DrillRequest& request);

/// The command that drills the same again, with this seed.
std::string command_of(const DrillRequest& request, std::uint64_t seed);

}  // namespace gauntlet
