// All probes on the GPUs of this host, as a file of measurements.
#pragma once

#include <cstdio>

namespace gauntlet::cuda {

/// Prints a file of real/measurements: what was measured, where, when and by which command, and what could not be. False where that
/// cannot be written.
bool print_measurements(std::FILE* to);

}  // namespace gauntlet::cuda
