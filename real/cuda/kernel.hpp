// What kernels share. For nvcc alone.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

namespace gauntlet::cuda {

/// Elements that a thread takes, where the grid has any size: from first() on, each stride()-th.
__device__ inline std::size_t first() {
  return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t stride() { return static_cast<std::size_t>(gridDim.x) * blockDim.x; }

/// A permutation of 64 bits in which each bit depends on all: MurmurHash3's finaliser
/// (https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp).
__device__ inline std::uint64_t scattered(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdULL;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

}  // namespace gauntlet::cuda
