#pragma once

namespace gauntlet {

/// Bandwidths of all dimensions at 64, 1,024 and 12,288 GPUs with a NIC degraded, by max-min and (where it was built) by
/// SimGrid, and one pipeline replica of 1,024 GPUs on SimGrid.
void register_network_benchmarks();

}  // namespace gauntlet
