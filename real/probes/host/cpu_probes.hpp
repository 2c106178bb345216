// How fast the cores compute: each against its neighbours, and the sockets.
//
// Every core runs the same chain of multiplications and additions at the same time. A core that is slower than its neighbours is
// throttled or broken, or another program uses it; the remark says which.
#pragma once

#include "real/probes/host/cores.hpp"
#include "real/probes/host/probe.hpp"

#include <vector>

namespace gauntlet {

/// The repetitions of one core.
struct CoreRun {
  MachineCore core;
  std::vector<double> rates;   // million steps of the chain per second of wall time
  std::vector<double> shares;  // of the core's time that the probe got, in [0, 1]
};

/// All cores at once; without those that no thread can be pinned to.
std::vector<CoreRun> run_on_cores(const std::vector<MachineCore>& cores);

/// A part for each core.
ProbeSample cores_sample(const std::vector<CoreRun>& runs);
/// A part for each socket: its cores together.
ProbeSample sockets_sample(const std::vector<CoreRun>& runs);

ProbeSample probe_cpu_cores(const ProbedHost& host);
ProbeSample probe_cpu_sockets(const ProbedHost& host);

}  // namespace gauntlet
