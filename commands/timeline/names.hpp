// What slices of a timeline are called.
#pragma once

#include "commands/timeline/run.hpp"
#include "core/action.hpp"
#include "core/observation.hpp"
#include "report/trace_events/trace_events.hpp"
#include "score/figures.hpp"

#include <string>

namespace gauntlet {

std::string name_of_cause(const World& world, Cause cause);
/// "probe", "evict", "checkpoint every": a track for each.
std::string kind_of_order(const Action& what);
/// "evict host 4", "probe host_check host 2".
std::string name_of_order(const World& world, const Action& what);
/// Of an observation that no detector made: "planned stop", "host 4 is repaired".
std::string name_of_event(const Observation& what);
/// "done", "done: host 8 granted".
std::string text_of_outcome(const Outcome& outcome);

/// Every member, as `gauntlet replay --print` shows them.
TraceArguments arguments_of(const Observation& what);
TraceArguments arguments_of(const Action& what);

}  // namespace gauntlet
