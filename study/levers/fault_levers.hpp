// Half as many faults of a kind, in whatever way a scenario says how many there are.
#pragma once

#include "study/levers/lever.hpp"

#include <vector>

namespace gauntlet {

/// A lever for each fault kind. What strikes by itself does so at half its rate, or half its chance at a start; half as many
/// components have it from the beginning; every second onset of a trace is left out; and half as many faults lead to it.
std::vector<Lever> fault_levers(const World& world, const Value& resolved);

/// Whether anything can befall a run that befalls few of them. Where nothing can, a gain that is the same in some replicas is
/// the same in all.
bool has_events(const World& world);

}  // namespace gauntlet
