// What every program that uses CUDA needs: errors as exceptions, owners of what the runtime hands out, and times that the device takes.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace gauntlet::cuda {

class Error : public std::runtime_error {
 public:
  Error(cudaError_t code, const char* call)
      : std::runtime_error(std::string(call) + ": " + cudaGetErrorString(code)), code_(code) {}
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// What a library says that is no fault of the GPU: no such operation, too little memory, a wrong call.
class LibraryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An error of the runtime that says nothing of the GPU's health.
inline bool is_of_software(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorDevicesUnavailable:
    case cudaErrorNotSupported:
    case cudaErrorNotPermitted:
    case cudaErrorTooManyPeers:
    case cudaErrorOperatingSystem:
    case cudaErrorInsufficientDriver:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorInvalidKernelImage:
      return true;
    default:
      return false;
  }
}

inline void check(cudaError_t code, const char* call) {
  if (code != cudaSuccess) throw Error(code, call);
}

struct FreesDevice {
  void operator()(void* memory) const { cudaFree(memory); }
};
struct FreesHost {
  void operator()(void* memory) const { cudaFreeHost(memory); }
};
/// Of the device that was current when it was allocated.
template <class T>
using DeviceMemory = std::unique_ptr<T[], FreesDevice>;
/// Page-locked.
using PinnedMemory = std::unique_ptr<std::byte[], FreesHost>;

template <class T>
DeviceMemory<T> device_memory(std::size_t count) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
  return DeviceMemory<T>(static_cast<T*>(memory));
}

inline PinnedMemory pinned_memory(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, bytes, cudaHostAllocDefault), "cudaHostAlloc");
  return PinnedMemory(static_cast<std::byte*>(memory));
}

/// Fills device memory. No other stream waits for the one in which that happens, so that this one does.
inline void fill_bytes(void* memory, int byte, std::size_t bytes) {
  check(cudaMemset(memory, byte, bytes), "cudaMemset");
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate"); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  cudaStream_t get() const { return stream_; }
  void wait() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  explicit Event(unsigned flags = cudaEventDefault) {
    check(cudaEventCreateWithFlags(&event_, flags), "cudaEventCreateWithFlags");
  }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { cudaEventDestroy(event_); }
  void record(const Stream& stream) const { check(cudaEventRecord(event_, stream.get()), "cudaEventRecord"); }
  /// What is put on the stream from now on waits for what was recorded last.
  void hold_back(const Stream& stream) const {
    check(cudaStreamWaitEvent(stream.get(), event_, 0), "cudaStreamWaitEvent");
  }
  void wait() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Whether the device is through with what was recorded.
  bool reached() const {
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return false;
    check(code, "cudaEventQuery");
    return true;
  }
  double seconds_since(const Event& begin) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, begin.event_, event_), "cudaEventElapsedTime");
    return 1e-3 * static_cast<double>(milliseconds);
  }

 private:
  cudaEvent_t event_ = nullptr;
};

/// How long each of so many calls of `work`, which puts work on the stream, took on the device. Others come before them for a fifth of a
/// second: they load code and raise clocks.
template <class Work>
std::vector<double> seconds_of_each(std::size_t repetitions, const Stream& stream, const Work& work) {
  std::vector<Event> marks(repetitions + 1);
  const auto began = std::chrono::steady_clock::now();
  do {
    work();
    stream.wait();
  } while (std::chrono::steady_clock::now() - began < std::chrono::milliseconds(200));
  work();
  marks.front().record(stream);
  for (std::size_t i = 0; i < repetitions; ++i) {
    work();
    marks[i + 1].record(stream);
  }
  stream.wait();
  std::vector<double> seconds;
  for (std::size_t i = 0; i < repetitions; ++i) seconds.push_back(marks[i + 1].seconds_since(marks[i]));
  return seconds;
}

inline std::string model_of(int device) {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
  return properties.name;
}

/// Bytes of the current device that nobody has taken.
inline std::size_t free_bytes() {
  std::size_t free = 0, all = 0;
  check(cudaMemGetInfo(&free, &all), "cudaMemGetInfo");
  return free;
}

}  // namespace gauntlet::cuda
