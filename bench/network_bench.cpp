#include "bench/network_bench.hpp"

#include "flow/network.hpp"
#include "flow/pipeline.hpp"
#include "models/network/fabric_network.hpp"

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <string>

namespace gauntlet {
namespace {

const FlowProgram kProgram{.path = GAUNTLET_FLOW};

// An H100 host's wires on a rail-optimised fabric, 4 hosts under a switch of each rail.
FabricNetwork network_of(std::uint32_t gpus) {
  Hardware hardware;
  hardware.nvlink = {900e9};
  hardware.nic = {50e9};
  const Layout layout =
      gpus == 64 ? Layout{.tp = 8, .pp = 2, .dp = 4} : Layout{.tp = 8, .pp = 8, .dp = gpus / 64};
  return FabricNetwork(layout, hardware, gpus / 8, 4, Fabric{.tors_per_pod = 32});
}

const NetworkState kNic = {.nics = {{1, 3, 4}}, .switches = {}};
const NetworkState kTor = {.nics = {}, .switches = {{SwitchKind::tor, 0, 4}}};

// Topology, flows and healthy bandwidths.
void make(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(network_of(static_cast<std::uint32_t>(state.range(0))));
}

void max_min(benchmark::State& state) {
  const FabricNetwork network = network_of(static_cast<std::uint32_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(network.bandwidths(kNic));
}

/// The most memory that a child of this process had, in MB.
double most_of_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1000;
}

void simgrid(benchmark::State& state, const NetworkState& degraded) {
  const FabricNetwork network = network_of(static_cast<std::uint32_t>(state.range(0)));
  try {
    for (auto _ : state)
      benchmark::DoNotOptimize(simgrid_bandwidths(network, {&degraded, 1}, kProgram));
  } catch (const FlowFailure& failure) {
    return state.SkipWithError(failure.what());
  }
  state.counters["MB"] = most_of_children();
}

// 128 stages of 8 GPUs, 128 micro-batches.
void simgrid_replica(benchmark::State& state) {
  Hardware hardware;
  hardware.nvlink = {900e9};
  hardware.nic = {50e9};
  const FabricNetwork network({.tp = 8, .pp = 128}, hardware, 128, 4, Fabric{.tors_per_pod = 32});
  const PipelineStep step = {
      .replica = 0,
      .shape = {.stages = 128, .virtual_stages = 1, .micro_batches = 128},
      .compute = {.forward = std::vector<double>(128, 0.01), .backward = std::vector<double>(128, 0.02)},
      .message = {5e7},
      .stalls = {}};
  try {
    for (auto _ : state) benchmark::DoNotOptimize(simgrid_pipeline(network, step, {}, kProgram));
  } catch (const FlowFailure& failure) {
    return state.SkipWithError(failure.what());
  }
  state.counters["MB"] = most_of_children();
}

}  // namespace

void register_network_benchmarks() {
  const auto sizes = [](benchmark::internal::Benchmark* benchmark) {
    benchmark->Arg(64)->Arg(1024)->Arg(12288)->Unit(benchmark::kMillisecond)->UseRealTime();
  };
  sizes(benchmark::RegisterBenchmark("network/make", make));
  sizes(benchmark::RegisterBenchmark("network/max_min", max_min));
  sizes(benchmark::RegisterBenchmark("network/simgrid/nic", simgrid, kNic));
  sizes(benchmark::RegisterBenchmark("network/simgrid/tor", simgrid, kTor));
  benchmark::RegisterBenchmark("network/simgrid/replica/1024", simgrid_replica)
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

}  // namespace gauntlet
