#include "tests/cuda/mock_device.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <set>

// A recording of an event is known by its number, so that a wait means the one that was the last when it was queued.
struct MockEvent {
  std::uint64_t recorded = 0;  // 0: never
  double at_ms = 0;            // of the recording that is done
};
struct MockStream {};

namespace {

struct Operation {
  cudaStream_t stream = nullptr;
  std::uint64_t waits_for = 0;  // a recording
  std::uint64_t records = 0;
  std::function<void()> act{};
};

struct Failure {
  std::size_t after = 0;  // calls that succeed
  cudaError_t code = cudaSuccess;
};

struct Device {
  std::list<Operation> queued;
  std::set<std::uint64_t> done;  // recordings
  std::uint64_t recordings = 0;
  double now_ms = 0;
  std::map<std::string, Failure> failures;
  std::size_t waits = 0, events = 0, streams = 0, largest_copy = 0;
};
Device device;

/// Of the first operations of all streams the one that was queued last: an order that no stream asked for shows. False where all wait.
bool do_next() {
  std::set<cudaStream_t> seen;
  auto next = device.queued.end();
  for (auto each = device.queued.begin(); each != device.queued.end(); ++each)
    if (seen.insert(each->stream).second && (each->waits_for == 0 || device.done.contains(each->waits_for)))
      next = each;
  if (next == device.queued.end()) return false;
  if (next->act) next->act();
  if (next->records != 0) device.done.insert(next->records);
  device.queued.erase(next);
  return true;
}

bool is_done(const MockEvent& event) { return event.recorded == 0 || device.done.contains(event.recorded); }

cudaError_t answer(const char* call) {
  const auto failure = device.failures.find(call);
  if (failure == device.failures.end()) return cudaSuccess;
  if (failure->second.after > 0) {
    --failure->second.after;
    return cudaSuccess;
  }
  const cudaError_t code = failure->second.code;
  device.failures.erase(failure);
  return code;
}

}  // namespace

namespace gauntlet::cuda {

void queue_work(const Stream& stream, double milliseconds, const std::function<void()>& does) {
  device.queued.push_back({.stream = stream.get(), .act = [milliseconds, does] {
                             device.now_ms += milliseconds;
                             if (does) does();
                           }});
}

std::size_t run_operations(std::size_t count) {
  std::size_t done = 0;
  while (done < count && do_next()) ++done;
  return done;
}

void run_all() {
  while (do_next()) {
  }
}

void fail(const std::string& call, cudaError_t code, std::size_t after) {
  device.failures[call] = {.after = after, .code = code};
}
std::size_t host_waits() { return device.waits; }
std::size_t events() { return device.events; }
std::size_t largest_copy() { return device.largest_copy; }

FreshDevice::FreshDevice() {
  if (device.events != 0 || device.streams != 0) throw std::logic_error("events or streams were left behind");
  device = {};
}

}  // namespace gauntlet::cuda

const char* cudaGetErrorString(cudaError_t code) { return code == cudaSuccess ? "no error" : "an error"; }

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new MockStream;
  ++device.streams;
  return cudaSuccess;
}

/// As the runtime does: what is queued is done before the stream goes.
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  gauntlet::cuda::run_all();
  delete stream;
  --device.streams;
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  ++device.waits;
  const auto is_of = [&](const Operation& each) { return each.stream == stream; };
  while (std::any_of(device.queued.begin(), device.queued.end(), is_of) && do_next()) {
  }
  return answer("cudaStreamSynchronize");
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  device.queued.push_back({.stream = stream, .waits_for = event->recorded});
  return answer("cudaStreamWaitEvent");
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new MockEvent;
  ++device.events;
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  gauntlet::cuda::run_all();  // what is queued writes its time
  delete event;
  --device.events;
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t code = answer("cudaEventRecord"); code != cudaSuccess) return code;
  event->recorded = ++device.recordings;
  device.queued.push_back(
      {.stream = stream, .records = event->recorded, .act = [event] { event->at_ms = device.now_ms; }});
  return cudaSuccess;
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t code = answer("cudaEventQuery"); code != cudaSuccess) return code;
  return is_done(*event) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ++device.waits;
  while (!is_done(*event) && do_next()) {
  }
  return answer("cudaEventSynchronize");
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  if (begin->recorded == 0 || end->recorded == 0) return cudaErrorInvalidValue;
  if (!is_done(*begin) || !is_done(*end)) return cudaErrorNotReady;
  *milliseconds = static_cast<float>(end->at_ms - begin->at_ms);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (const cudaError_t code = answer("cudaMemcpyAsync"); code != cudaSuccess) return code;
  device.largest_copy = std::max(device.largest_copy, bytes);
  device.queued.push_back({.stream = stream, .act = [=] { std::memcpy(to, from, bytes); }});
  return cudaSuccess;
}

cudaError_t cudaHostRegister(void*, std::size_t, unsigned) { return answer("cudaHostRegister"); }
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
