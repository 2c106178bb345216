// The improvements that a scenario leaves open, each with the settings that make it.
//
// Every fault kind of the scenario is one, and every duration of the parts that somebody can improve, so that a new fault, phase or
// timeout is a lever without being named here. Counts, and what is left out (the cluster, the study, what a policy expects at
// first), are listed in levers.cpp.
#pragma once

#include "study/levers/lever.hpp"
#include "study/point.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gauntlet {

/// A step is so much quicker: half of it, as of the other durations, is nothing that anybody has to choose.
inline constexpr double kQuickerStep = 0.01;

/// Of a scenario and the tree of values that it was read from (PointSource::resolved()), in the order of the tree; the faults
/// and the step come first. What another setting leaves without effect may be among them.
std::vector<Lever> levers_of(const Scenario& scenario, const Value& resolved);

/// The keys that the search for levers knows by name, such as those that it leaves out.
std::vector<std::string_view> keys_that_levers_know();

/// The levers whose path is one of `names`, or lies below one ("job.start", "faults"); all where there is none. A name with no
/// lever is a problem, as one of `option`.
struct ChosenLevers {
  std::vector<Lever> levers;
  std::vector<Problem> problems;
};
ChosenLevers chosen_levers(std::vector<Lever> levers, const std::vector<std::string>& names,
                           const std::string& option);

}  // namespace gauntlet
