// A probe that is any program: dcgmi, nccl-tests, nvbandwidth, perftest.
#pragma once

#include "core/time.hpp"
#include "models/world/probe_measure.hpp"
#include "real/probes/sample.hpp"

#include <atomic>
#include <string>

namespace gauntlet {

/// Runs the program without a shell; after `deadline`, or once `stop` is set, its process group is killed. A program that is not
/// there is unsupported, and another exit code than 0 is an error. Every match of the expression is a repetition of the metric; a
/// metric that is not found is inconclusive.
ProbeSample run_command_probe(const ProbeCommand& command, Duration deadline,
                              const std::atomic<bool>* stop = nullptr);

/// The numbers of the first group of `expression` (RE2) in `output`, one for each match.
std::vector<double> metrics_in(const std::string& output, const std::string& expression);

}  // namespace gauntlet
