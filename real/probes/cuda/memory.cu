// Probes of device memory: how fast it is read and written, and whether it holds what is written to it.
#include "real/cuda/device.hpp"
#include "real/cuda/kernel.hpp"
#include "real/probes/cuda/probes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kRepetitions = 20;
constexpr std::size_t kArray = std::size_t{1} << 30;  // bytes: twenty times the second-level cache of an H100
constexpr std::size_t kLeastArray = std::size_t{1} << 28;
constexpr std::size_t kLeftFree = std::size_t{1} << 29;  // for a job that allocates meanwhile
constexpr unsigned kThreads = 512;

unsigned blocks() {
  int device = 0, multiprocessors = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return 8 * static_cast<unsigned>(multiprocessors);
}

__global__ void copy(const uint4* __restrict__ from, uint4* __restrict__ to, std::size_t count) {
  for (std::size_t i = first(); i < count; i += stride()) to[i] = from[i];
}

__global__ void triad(const float4* __restrict__ b, const float4* __restrict__ c, float4* __restrict__ a,
                      std::size_t count, float scale) {
  for (std::size_t i = first(); i < count; i += stride()) {
    const float4 x = b[i], y = c[i];
    a[i] = make_float4(x.x + scale * y.x, x.y + scale * y.y, x.z + scale * y.z, x.w + scale * y.w);
  }
}

/// The largest array of which `arrays` fit into the memory that is free; 0 where none of use does.
std::size_t array_bytes(std::size_t arrays) {
  const std::size_t free = free_bytes();
  const std::size_t room = free > kLeftFree ? (free - kLeftFree) / arrays : 0;
  const std::size_t bytes = std::min(kArray, room) / kLeastArray * kLeastArray;
  return bytes;
}

Measured too_little_memory() {
  Measured out;
  out.inconclusive = "has " + std::to_string(free_bytes() >> 20) + " MiB free, which is too little";
  return out;
}

// --- patterns ----------------------------------------------------------------------------------------------------------

/// What is written to memory. A walking bit is one that is set, in another place of each word and each pass.
enum class Pattern { zeros, ones, checkered, checkered_inverse, address, scattered, walking };

constexpr std::array kPatterns = {
    Pattern::zeros,   Pattern::ones,      Pattern::checkered, Pattern::checkered_inverse,
    Pattern::address, Pattern::scattered, Pattern::walking};
constexpr unsigned kWalks = 64;

__device__ inline std::uint64_t word_of(Pattern pattern, std::uint64_t address, unsigned pass) {
  switch (pattern) {
    case Pattern::zeros:
      return 0;
    case Pattern::ones:
      return ~0ULL;
    case Pattern::checkered:
      return 0x5555555555555555ULL;
    case Pattern::checkered_inverse:
      return 0xaaaaaaaaaaaaaaaaULL;
    case Pattern::address:
      return address;
    case Pattern::scattered:
      return scattered(address);
    case Pattern::walking:
      return 1ULL << ((address / sizeof(std::uint64_t) + pass) % 64);
  }
  return 0;
}

__global__ void write_pattern(std::uint64_t* words, std::size_t count, Pattern pattern, unsigned pass) {
  for (std::size_t i = first(); i < count; i += stride())
    words[i] = word_of(pattern, reinterpret_cast<std::uint64_t>(words + i), pass);
}

struct WrongWord {
  unsigned long long address, is, should;
};
constexpr unsigned kKept = 8;
struct WrongWords {
  unsigned long long count;
  WrongWord first[kKept];
};

__global__ void read_pattern(const std::uint64_t* words, std::size_t count, Pattern pattern, unsigned pass,
                             WrongWords* wrong) {
  for (std::size_t i = first(); i < count; i += stride()) {
    const std::uint64_t is = words[i];
    const auto address = reinterpret_cast<std::uint64_t>(words + i);
    const std::uint64_t should = word_of(pattern, address, pass);
    if (is == should) continue;
    const unsigned long long place = atomicAdd(&wrong->count, 1ULL);
    if (place < kKept) wrong->first[place] = {address, is, should};
  }
}

std::string text_of(const WrongWord& wrong) {
  char text[160];
  std::snprintf(text, sizeof text,
                "the word at device address 0x%llx is 0x%016llx, and should be 0x%016llx: bits 0x%016llx",
                wrong.address, wrong.is, wrong.should, wrong.is ^ wrong.should);
  return text;
}

/// Most of the free memory, in pieces.
std::vector<DeviceMemory<std::uint64_t>> take_free_memory() {
  std::vector<DeviceMemory<std::uint64_t>> pieces;
  while (free_bytes() > kArray + kLeftFree) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, kArray) != cudaSuccess) {
      (void)cudaGetLastError();  // it is taken by another program, or in pieces
      break;
    }
    pieces.emplace_back(static_cast<std::uint64_t*>(memory));
  }
  return pieces;
}

}  // namespace

Measured memory_copy() {
  const std::size_t bytes = array_bytes(2);
  if (bytes == 0) return too_little_memory();
  const Stream stream;
  const auto from = device_memory<uint4>(bytes / sizeof(uint4)),
             to = device_memory<uint4>(bytes / sizeof(uint4));
  fill_bytes(from.get(), 0x5a, bytes);
  const unsigned grid = blocks();
  Measured out;
  for (const double seconds : seconds_of_each(kRepetitions, stream, [&] {
         copy<<<grid, kThreads, 0, stream.get()>>>(from.get(), to.get(), bytes / sizeof(uint4));
       }))
    out.values.push_back(2.0 * static_cast<double>(bytes) / seconds / 1e9);
  check(cudaGetLastError(), "the kernel that copies");
  return out;
}

Measured memory_triad() {
  const std::size_t bytes = array_bytes(3);
  if (bytes == 0) return too_little_memory();
  const Stream stream;
  const std::size_t count = bytes / sizeof(float4);
  const auto a = device_memory<float4>(count), b = device_memory<float4>(count),
             c = device_memory<float4>(count);
  fill_bytes(b.get(), 0, bytes);
  fill_bytes(c.get(), 0, bytes);
  const unsigned grid = blocks();
  Measured out;
  for (const double seconds : seconds_of_each(kRepetitions, stream, [&] {
         triad<<<grid, kThreads, 0, stream.get()>>>(b.get(), c.get(), a.get(), count, 3.0F);
       }))
    out.values.push_back(3.0 * static_cast<double>(bytes) / seconds / 1e9);
  check(cudaGetLastError(), "the kernel of the triad");
  return out;
}

Measured memory_patterns() {
  const auto pieces = take_free_memory();
  if (pieces.empty()) return too_little_memory();
  const auto wrong = device_memory<WrongWords>(1);
  fill_bytes(wrong.get(), 0, sizeof(WrongWords));
  const unsigned grid = blocks();
  const std::size_t words = kArray / sizeof(std::uint64_t);
  for (const Pattern pattern : kPatterns)
    for (unsigned pass = 0; pass < (pattern == Pattern::walking ? kWalks : 1); ++pass) {
      for (const auto& piece : pieces) write_pattern<<<grid, kThreads>>>(piece.get(), words, pattern, pass);
      for (const auto& piece : pieces)
        read_pattern<<<grid, kThreads>>>(piece.get(), words, pattern, pass, wrong.get());
      check(cudaGetLastError(), "the kernel that reads a pattern");
    }
  WrongWords found{};
  check(cudaMemcpy(&found, wrong.get(), sizeof found, cudaMemcpyDeviceToHost), "cudaMemcpy");
  Measured out;
  out.values = {static_cast<double>(found.count)};
  for (unsigned long long i = 0; i < std::min<unsigned long long>(found.count, kKept); ++i)
    out.errors.push_back(text_of(found.first[i]));
  out.facts = {{"memory looked at", std::to_string(pieces.size()) + " GiB"}};
  return out;
}

}  // namespace gauntlet::cuda
