// Probes of the paths between memories: page-locked copies to and from each memory node, and from GPU to GPU.
#include "real/cuda/device.hpp"
#include "real/probes/cuda/attempt_private.hpp"
#include "real/probes/cuda/probes.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

namespace gauntlet::cuda {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 28;  // half of what nvbandwidth copies
constexpr int kByte = 0x5a;                           // what is copied
constexpr std::size_t kRepetitions = 10;

struct MemoryNode {
  int number = 0;
  cpu_set_t cores{};
};

/// "0-3,8": empty where it is something else.
cpu_set_t cores_in(const std::string& list) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  std::istringstream in(list);
  for (std::string range; std::getline(in, range, ',');) {
    int begin = 0, end = 0;
    char dash = 0;
    std::istringstream numbers(range);
    if (!(numbers >> begin)) continue;
    if (!(numbers >> dash >> end)) end = begin;
    for (int core = begin; core <= end && core < CPU_SETSIZE; ++core)
      CPU_SET(static_cast<std::size_t>(core), &cores);
  }
  return cores;
}

/// Those whose cores this process may use; one that stands for all where the kernel names none.
std::vector<MemoryNode> memory_nodes() {
  std::vector<MemoryNode> nodes;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  constexpr int kMostNodes = 1024;  // as the kernel's CONFIG_NODES_SHIFT allows
  for (int number = 0; number < kMostNodes; ++number) {
    std::ifstream file("/sys/devices/system/node/node" + std::to_string(number) + "/cpulist");
    std::string list;
    if (!std::getline(file, list)) continue;
    MemoryNode node{.number = number, .cores = cores_in(list)};
    CPU_AND(&node.cores, &node.cores, &allowed);
    if (CPU_COUNT(&node.cores) > 0) nodes.push_back(node);
  }
  if (nodes.empty()) nodes.push_back({.number = 0, .cores = allowed});
  return nodes;
}

/// Runs on the cores of a node while it lives, so that memory which is allocated meanwhile is the node's.
class OnNode {
 public:
  explicit OnNode(const MemoryNode& node) {
    CPU_ZERO(&before_);
    ::sched_getaffinity(0, sizeof before_, &before_);
    ::sched_setaffinity(0, sizeof node.cores, &node.cores);
  }
  OnNode(const OnNode&) = delete;
  OnNode& operator=(const OnNode&) = delete;
  ~OnNode() { ::sched_setaffinity(0, sizeof before_, &before_); }

 private:
  cpu_set_t before_{};
};

std::vector<double> rates_of(const std::vector<double>& seconds) {
  std::vector<double> rates;
  for (const double each : seconds) rates.push_back(static_cast<double>(kBytes) / each / 1e9);
  return rates;
}

std::string gpu(int device) { return "GPU " + std::to_string(device); }

void expect_copied(const std::byte* copy, const std::string& path, Sample& sample) {
  if (std::any_of(copy, copy + kBytes, [](std::byte each) { return each != std::byte{kByte}; }))
    sample.errors.push_back(path + ": the bytes that arrived are not those that were sent");
}

void copy_to_and_from(int device, const MemoryNode& node, Sample& sample) {
  check(cudaSetDevice(device), "cudaSetDevice");
  const OnNode here(node);
  const PinnedMemory host = pinned_memory(kBytes);
  std::fill_n(host.get(), kBytes, std::byte{kByte});
  const auto memory = device_memory<std::byte>(kBytes);
  const Stream stream;
  const std::string model = model_of(device), name = "node " + std::to_string(node.number);
  const auto to = seconds_of_each(kRepetitions, stream, [&] {
    check(cudaMemcpyAsync(memory.get(), host.get(), kBytes, cudaMemcpyHostToDevice, stream.get()),
          "cudaMemcpyAsync");
  });
  std::fill_n(host.get(), kBytes, std::byte{0});  // what is there afterwards came back
  const auto from = seconds_of_each(kRepetitions, stream, [&] {
    check(cudaMemcpyAsync(host.get(), memory.get(), kBytes, cudaMemcpyDeviceToHost, stream.get()),
          "cudaMemcpyAsync");
  });
  // A copy to the device and one back need not be as fast, nor from a near node and from a far one.
  sample.parts.push_back({name + " to " + gpu(device), model + ", to it", rates_of(to)});
  sample.parts.push_back({gpu(device) + " to " + name, model + ", from it", rates_of(from)});
  expect_copied(host.get(), gpu(device) + " and " + name, sample);
}

/// Whether `to` can be written from `from` without the host between.
bool enable_peer(int from, int to) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  check(cudaSetDevice(from), "cudaSetDevice");
  const cudaError_t code = cudaDeviceEnablePeerAccess(to, 0);
  if (code != cudaErrorPeerAccessAlreadyEnabled) check(code, "cudaDeviceEnablePeerAccess");
  (void)cudaGetLastError();
  return true;
}

void copy_between(int from, int to, Sample& sample) {
  const bool direct = enable_peer(from, to);
  check(cudaSetDevice(to), "cudaSetDevice");
  const auto there = device_memory<std::byte>(kBytes);
  fill_bytes(there.get(), 0, kBytes);
  check(cudaSetDevice(from), "cudaSetDevice");
  const auto here = device_memory<std::byte>(kBytes);
  fill_bytes(here.get(), kByte, kBytes);
  const Stream stream;
  const auto seconds = seconds_of_each(kRepetitions, stream, [&] {
    check(cudaMemcpyPeerAsync(there.get(), to, here.get(), from, kBytes, stream.get()),
          "cudaMemcpyPeerAsync");
  });
  sample.parts.push_back({gpu(from) + " to " + gpu(to),
                          model_of(from) + (direct ? ", direct" : ", through the host"), rates_of(seconds),
                          direct ? "" : "the copy goes through the host"});
  std::vector<std::byte> arrived(kBytes);
  check(cudaMemcpy(arrived.data(), there.get(), kBytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
  expect_copied(arrived.data(), gpu(from) + " to " + gpu(to), sample);
}

int device_count() {
  int devices = 0;
  check(cudaGetDeviceCount(&devices), "cudaGetDeviceCount");
  return devices;
}

}  // namespace

void host_copies(Sample& sample) {
  for (int device = 0; device < device_count(); ++device)
    for (const MemoryNode& node : memory_nodes())
      attempt(sample, gpu(device) + " and node " + std::to_string(node.number),
              [&] { copy_to_and_from(device, node, sample); });
}

void peer_copies(Sample& sample) {
  const int devices = device_count();
  if (devices == 1) sample.unsupported = "this host has one GPU";
  for (int from = 0; from < devices; ++from)
    for (int to = 0; to < devices; ++to)
      if (from != to) attempt(sample, gpu(from) + " to " + gpu(to), [&] { copy_between(from, to, sample); });
}

}  // namespace gauntlet::cuda
