#pragma once

#include "flow/problem.hpp"

#include <vector>

namespace gauntlet {

/// Runs the phases on SimGrid. Once in a process: its clock does not start again. Prints why and ends the process with 1
/// when actors wait for each other forever.
std::vector<FlowTimes> simulate(const FlowProblem& problem);

}  // namespace gauntlet
