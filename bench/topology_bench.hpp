// What of the topology and its flows is timed.
#pragma once

namespace gauntlet {

/// Adds `topology/build` of 64, 1,024 and 16,384 GPUs and `max_min` of one flow for each of 64, 1,024 and 12,288 GPUs.
void register_topology_benchmarks();

}  // namespace gauntlet
