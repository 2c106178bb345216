// One rank of a data-parallel job on GPUs. It saves through the checkpoint library, and tells its agent what it does by gauntlet_rank.h.
#pragma once

#include "real/device_trainer/model.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace gauntlet::cuda {

struct DeviceTrainerOptions {
  ModelShape shape;
  int micro_batches = 4;  // of a rank and step
  int rank = 0, ranks = 1, device = 0;
  bool shared = false;  // ranks share a GPU
  std::uint64_t seed = 1, start = 0;
  std::int64_t steps = 100, save_every = 0;  // outside a drill; 0: never
  std::string checkpoints;                   // a directory that all ranks see
  std::chrono::nanoseconds timeout = std::chrono::minutes(30);
  std::int64_t flip_before = 0;  // a bit of a weight is flipped before that step; 0: none is
  int flipped_bit = 0;
};

/// Returns the exit code. Throws Error, LibraryError, std::system_error and std::runtime_error.
int train(const DeviceTrainerOptions& options);

}  // namespace gauntlet::cuda
