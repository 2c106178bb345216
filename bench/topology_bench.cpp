#include "bench/topology_bench.hpp"

#include "core/random/stream.hpp"
#include "models/network/max_min.hpp"
#include "models/topology/topology.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

namespace gauntlet {
namespace {

constexpr std::uint32_t kHostsPerTor = 64;

// H100 hosts on rails, an aggregation level of half the bandwidth.
Topology cluster(std::int64_t gpus) {
  Hardware hardware;
  hardware.nvlink = {900e9};
  hardware.nic = {50e9};
  hardware.pcie = {64e9};
  Fabric fabric;
  fabric.oversubscription = 2;
  return {static_cast<std::uint32_t>(gpus) / hardware.gpus_per_host, kHostsPerTor, hardware, fabric};
}

void build(benchmark::State& state) {
  std::size_t links = 0;
  for (auto _ : state) links = cluster(state.range(0)).links().size();
  state.counters["links"] = static_cast<double>(links);
}

// Every GPU sends to one drawn at random, over paths that a hash chose: links of every level hold some flows, and hardly
// two fill at once.
void max_min(benchmark::State& state) {
  const Topology topology = cluster(state.range(0));
  std::vector<double> capacities;
  for (const Link& link : topology.links()) capacities.push_back(link.bandwidth.value);
  Stream random({.study = 1}, stream_name("bench.max_min"));
  Flows flows;
  for (std::uint32_t gpu = 0; gpu < topology.shape().gpus(); ++gpu)
    flows.add(topology.path(gpu, static_cast<std::uint32_t>(random.below(topology.shape().gpus())),
                            gpu % topology.nics_per_host(), random.bits()));
  for (auto _ : state) benchmark::DoNotOptimize(max_min_rates(flows, capacities));
  state.counters["links_of_flow"] =
      static_cast<double>(flows.links.size()) / static_cast<double>(flows.size());
}

}  // namespace

void register_topology_benchmarks() {
  benchmark::RegisterBenchmark("topology/build", build)
      ->Arg(64)
      ->Arg(1'024)
      ->Arg(16'384)
      ->Unit(benchmark::kMillisecond);
  benchmark::RegisterBenchmark("max_min", max_min)
      ->Arg(64)
      ->Arg(1'024)
      ->Arg(12'288)
      ->Unit(benchmark::kMillisecond);
}

}  // namespace gauntlet
