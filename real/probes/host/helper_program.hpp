// Probes that a program beside this one carries out, so that this one starts without the libraries that they need: gauntlet-cuda-probe
// (real/probes/cuda) and gauntlet-ucx-probe (real/probes/ucx).
#pragma once

#include "real/probes/host/probe.hpp"
#include "real/probes/sample.hpp"

#include <string>

namespace gauntlet {

/// A probe of GPUs. `name`: as gauntlet-cuda-probe --list has it.
ProbeSample probe_by_cuda(const ProbedHost& host, const std::string& name);
/// Transfers between the network cards of this host, from each of its memory nodes.
ProbeSample probe_ucx_mesh(const ProbedHost& host);

}  // namespace gauntlet
