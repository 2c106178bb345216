// Probes that load the GPUs of a host through CUDA. Another program carries them out, gauntlet-cuda-probe (real/probes/cuda), so that
// this one starts without NVIDIA's libraries.
#pragma once

#include "real/probes/host/probe.hpp"
#include "real/probes/sample.hpp"

#include <string>

namespace gauntlet {

/// `name`: as gauntlet-cuda-probe --list has it.
ProbeSample probe_by_cuda(const ProbedHost& host, const std::string& name);

}  // namespace gauntlet
