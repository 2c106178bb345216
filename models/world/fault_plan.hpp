// A fault plan: what will strike when, drawn whole before a run. A drill injects it; its simulation takes the same plan
// as a trace, so that both worlds meet the same faults.
#pragma once

#include "models/world/world.hpp"

#include <vector>

namespace gauntlet {

struct PlannedFault {
  Time at;  // since the run began
  FaultKindId kind;
  ComponentId component;
  // Drawn as a simulation draws it.
  Duration lasts{};   // until it heals by itself; a stop request: for how long the job is wanted stopped
  Duration repair{};  // of the host, where that alone removes the fault
  bool logs = true;   // whether its log line comes, where its kind has one
};

/// In order of time.
using FaultPlan = std::vector<PlannedFault>;

/// The same world, in which just the plan strikes: every fault kind takes its part of it as a trace, and leads to nothing
/// that the plan does not hold.
inline World with_plan(World world, const FaultPlan& plan) {
  for (FaultKind& kind : world.faults) {
    kind.trace.clear();
    kind.clock = FaultClock::always;
    kind.life = Law::constant(to_seconds(kForever));  // a kind that the plan does not hold never strikes
    kind.stationary_ages = false;
    kind.prevalence = kind.chance = Probability{0};
    kind.followed_by.reset();
  }
  for (const PlannedFault& fault : plan) {
    world.faults[fault.kind.value].trace.emplace_back(fault.at, fault.component.index);
  }
  return world;
}

}  // namespace gauntlet
