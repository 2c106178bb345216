// Two ranks of NCCL that share a GPU, each in a process of its own with a host identifier of its own: NCCL refuses two ranks of one host on one
// GPU.
// Such ranks show whether collectives work where there is one GPU. How fast they are says nothing of hardware.
#pragma once

#include "real/probes/cuda/measured.hpp"

#include <cstdio>
#include <string>

namespace gauntlet::cuda {

/// Of the current device: the words that an all-reduce of two ranks got wrong. Throws what device.hpp has for failures.
Measured shared_ranks();

/// One of the two, in the process that shared_ranks() starts: writes the number of wrong words, or why there is none. Returns its exit code.
/// `id`: of the communicator, in hexadecimal.
int run_shared_rank(std::FILE* answer, int device, int rank, const std::string& id);

}  // namespace gauntlet::cuda
