#include "real/injectors/cuda/faults.hpp"

#include "real/cuda/device.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>

namespace gauntlet::cuda {
namespace {

constexpr unsigned kThreads = 256;
constexpr std::chrono::milliseconds kPeriod(20);  // several time slices of the device: assumption, 2 ms each
constexpr int kWork = 1 << 16;                    // fused multiply-adds of a thread: about 0.2 ms

unsigned multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device), "cudaDeviceGetAttribute");
  return static_cast<unsigned>(count);
}

__device__ inline std::uint64_t device_ns() {
  std::uint64_t now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
}

__global__ void write_outside() { *reinterpret_cast<volatile int*>(std::uintptr_t{64}) = 1; }

__global__ void keep_busy(std::uint64_t for_ns) {
  const std::uint64_t began = device_ns();
  while (device_ns() - began < for_ns) {
  }
}

__global__ void multiply_add(float* out) {
  float value = static_cast<float>(threadIdx.x);
  for (int i = 0; i < kWork; ++i) value = fmaf(value, 0.999F, 1.0F);
  if (value < 0) out[0] = value;  // never: it is what keeps the work
}

}  // namespace

bool write_to_illegal_address() {
  check(cudaFree(nullptr), "cudaFree");
  write_outside<<<1, 1>>>();
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress;
}

Seconds spin(Seconds longest) {
  const Stream stream;
  const auto began = std::chrono::steady_clock::now();
  keep_busy<<<multiprocessors(), kThreads, 0, stream.get()>>>(static_cast<std::uint64_t>(1e9 * longest.count()));
  check(cudaGetLastError(), "keep_busy");
  stream.wait();
  return std::chrono::steady_clock::now() - began;
}

MemoryPressure::MemoryPressure(std::size_t left) {
  const std::size_t free = free_bytes();
  constexpr std::size_t kPage = std::size_t{1} << 21;
  bytes_ = free > left ? (free - left) / kPage * kPage : 0;
  // The driver keeps some for itself.
  for (; bytes_ > 0 && cudaMalloc(&memory_, bytes_) != cudaSuccess; bytes_ -= std::min(bytes_, 16 * kPage))
    (void)cudaGetLastError();
}

MemoryPressure::~MemoryPressure() { cudaFree(memory_); }

Seconds work_takes(Seconds during) {
  const Stream stream;
  const DeviceMemory<float> out = device_memory<float>(1);
  const auto began = std::chrono::steady_clock::now();
  int works = 0;
  Seconds passed{};
  constexpr int kTogether = 5;  // about 1 ms: the host is seldom waited for, and the end is met
  do {
    for (int i = 0; i < kTogether; ++i) multiply_add<<<multiprocessors(), kThreads, 0, stream.get()>>>(out.get());
    check(cudaGetLastError(), "multiply_add");
    stream.wait();
    works += kTogether;
    passed = std::chrono::steady_clock::now() - began;
  } while (passed < during);
  return passed / works;
}

void load(double share, std::chrono::steady_clock::time_point until) {
  const Stream stream;
  const auto busy = static_cast<std::uint64_t>(share * std::chrono::nanoseconds(kPeriod).count());
  for (auto next = std::chrono::steady_clock::now(); next < until; next += kPeriod) {
    if (busy > 0) keep_busy<<<multiprocessors(), kThreads, 0, stream.get()>>>(busy);
    check(cudaGetLastError(), "keep_busy");
    stream.wait();
    std::this_thread::sleep_until(next + kPeriod);
    next = std::max(next, std::chrono::steady_clock::now() - kPeriod);  // what was late is not made up for
  }
}

}  // namespace gauntlet::cuda
