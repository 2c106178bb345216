// All probes on the GPUs of this host, as a file of measurements.
#pragma once

namespace gauntlet::cuda {

/// Prints real/measurements/*.toml on standard output: what was measured, where, when and by which command, and what could not be. False
/// where that cannot be written.
bool print_measurements();

}  // namespace gauntlet::cuda
