// The memory of each NUMA node: how fast it is copied, and whether it holds what is written to it.
//
// The threads of a probe are pinned to the cores of a node, and Linux gives a thread memory of its own node first. Nodes without
// cores are left out.
#pragma once

#include "real/probes/host/probe.hpp"

namespace gauntlet {

/// Copies arrays larger than the caches by all cores of the node; bytes read and written, as STREAM counts them.
ProbeSample probe_memory_bandwidth(const ProbedHost& host);
/// Patterns in memory that is larger than the caches.
ProbeSample probe_memory_patterns(const ProbedHost& host);
/// The same in a larger part of the memory.
ProbeSample probe_memory_stress(const ProbedHost& host);

}  // namespace gauntlet
