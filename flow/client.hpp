// Starts gauntlet-flow, hands it a problem, and reads its answer.
#pragma once

#include "flow/problem.hpp"

#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet {

/// The program is missing, refused the problem, was killed, took too long, or answered what cannot be read: the text says
/// which, and what to try.
class FlowFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FlowProgram {
  std::string path;
  std::chrono::milliseconds deadline = std::chrono::minutes(2);
};

/// The one beside the running executable, unless another one was set.
FlowProgram flow_program();
/// For a process whose executable is not ours, before anything else here is called.
void set_flow_program(const std::string& path);

/// Throws FlowFailure. Safe to call from several threads at once.
std::vector<FlowTimes> solve(const FlowProgram& program, const FlowProblem& problem);

}  // namespace gauntlet
