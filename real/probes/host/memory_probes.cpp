#include "real/probes/host/memory_probes.hpp"

#include "core/time.hpp"
#include "real/probes/host/cores.hpp"
#include "real/probes/host/machine_files.hpp"
#include "real/probes/host/memory_patterns.hpp"
#include "real/system/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <thread>
#include <utility>

namespace gauntlet {
namespace {

// STREAM: each array is at least four times the last-level caches (https://www.cs.virginia.edu/stream/ref.html).
constexpr std::uint64_t kTimesCaches = 4;
constexpr std::uint64_t kWhereCachesAreUnknown = std::uint64_t{256} << 20;
constexpr std::size_t kCopyRepetitions = 5;
// What the job or other programs may want meanwhile stays free.
constexpr std::uint64_t kShareOfAvailable = 4;
// All patterns in 4 GiB, written and read, are 155 GB of traffic: a quarter of a minute at 10 GB/s.
constexpr std::uint64_t kMostStressed = std::uint64_t{4} << 30;

using NodeCores = std::map<int, std::vector<MachineCore>>;

NodeCores nodes_of(const ProbedHost& host) {
  NodeCores nodes;
  for (const MachineCore& core : cores_of(host.root, allowed_cpus())) nodes[core.node].push_back(core);
  return nodes;
}

std::uint64_t larger_than_caches(const ProbedHost& host, const std::vector<MachineCore>& cores) {
  const std::uint64_t caches = last_level_caches(host.root, cores);
  return caches == 0 ? kWhereCachesAreUnknown : kTimesCaches * caches;
}

/// What one node may be asked for.
std::uint64_t spare_memory(const ProbedHost& host, std::size_t nodes) {
  return available_memory(host.root).value_or(0) / kShareOfAvailable / nodes;
}

std::string lacks_memory(int node, std::uint64_t wanted, std::uint64_t spare) {
  return fmt::format("node {} needs {} MiB, and a quarter of the available memory is {} MiB", node,
                     wanted >> 20, spare >> 20);
}

std::unique_ptr<char[]> touched(std::size_t bytes) {
  std::unique_ptr<char[]> memory(new char[bytes]);
  std::memset(memory.get(), 1, bytes);
  return memory;
}

/// GB/s of each repetition; empty where no thread can be pinned.
std::vector<double> copy_rates(const std::vector<MachineCore>& cores, std::uint64_t bytes) {
  const std::size_t share = bytes / cores.size();
  std::barrier<> round(static_cast<std::ptrdiff_t>(cores.size() + 1));
  std::atomic<bool> pinned = true;
  const auto copy = [&](const MachineCore& core) {
    if (!pin_this_thread(core.cpu)) pinned = false;
    const auto from = touched(share);
    const auto to = touched(share);
    for (std::size_t i = 0; i < kCopyRepetitions; ++i) {
      round.arrive_and_wait();
      std::memcpy(to.get(), from.get(), share);
      from[i] = to[share - 1 - i];  // the copy is used, so that the compiler cannot leave it out
      round.arrive_and_wait();
    }
  };
  std::vector<std::jthread> threads;
  threads.reserve(cores.size());
  for (const MachineCore& core : cores) threads.emplace_back([&] { copy(core); });
  std::vector<double> rates;
  for (std::size_t i = 0; i < kCopyRepetitions; ++i) {
    round.arrive_and_wait();
    const std::int64_t began = monotonic_ns();
    round.arrive_and_wait();
    const double seconds = to_seconds(Duration(monotonic_ns() - began));
    rates.push_back(2e-9 * static_cast<double>(share * cores.size()) / seconds);
  }
  return pinned ? rates : std::vector<double>{};
}

ProbeSample patterns(const ProbedHost& host, bool stress) {
  const NodeCores nodes = nodes_of(host);
  if (nodes.empty()) return unsupported_sample("this process may run on no core");
  ProbeSample sample;
  const std::uint64_t spare = spare_memory(host, nodes.size());
  for (const auto& [node, cores] : nodes) {
    const std::uint64_t least = larger_than_caches(host, cores);
    if (spare < least) return unsupported_sample(lacks_memory(node, least, spare));
    const std::uint64_t bytes = stress ? std::max(least, std::min(spare, kMostStressed)) : least;
    BitErrors errors;
    std::jthread([&, cpu = cores.front().cpu] {
      pin_this_thread(cpu);
      const std::unique_ptr<std::uint64_t[]> memory(new std::uint64_t[bytes / sizeof(std::uint64_t)]);
      errors = check_patterns({memory.get(), bytes / sizeof(std::uint64_t)});
    }).join();
    const std::string name = fmt::format("node {}", node);
    sample.parts.push_back(
        {.part = name, .kind = "", .values = {static_cast<double>(errors.words)}, .remark = ""});
    if (errors.words > 0) sample.errors.push_back(name + ": " + to_text(errors));
    sample.facts.emplace_back("memory of " + name + " that was tested", fmt::format("{} MiB", bytes >> 20));
  }
  return sample;
}

}  // namespace

ProbeSample probe_memory_bandwidth(const ProbedHost& host) {
  const NodeCores nodes = nodes_of(host);
  if (nodes.empty()) return unsupported_sample("this process may run on no core");
  ProbeSample sample;
  for (const auto& [node, cores] : nodes) {
    const std::uint64_t bytes = larger_than_caches(host, cores), spare = spare_memory(host, nodes.size());
    if (spare < 2 * bytes) return unsupported_sample(lacks_memory(node, 2 * bytes, spare));
    std::vector<double> rates = copy_rates(cores, bytes);
    if (rates.empty()) return unsupported_sample(fmt::format("no thread can be pinned to node {}", node));
    sample.parts.push_back(
        {.part = fmt::format("node {}", node), .kind = "", .values = std::move(rates), .remark = ""});
  }
  return sample;
}

ProbeSample probe_memory_patterns(const ProbedHost& host) { return patterns(host, false); }
ProbeSample probe_memory_stress(const ProbedHost& host) { return patterns(host, true); }

}  // namespace gauntlet
