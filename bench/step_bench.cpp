#include "bench/step_bench.hpp"

#include "config/scenario.hpp"
#include "models/step/step.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

// MegaScale's 175B, tp 8 and pp 8, with as many data-parallel replicas as there are GPUs for; 32 micro-batches each.
std::optional<World> job_of(std::int64_t gpus, benchmark::State& state) {
  const std::int64_t replicas = gpus / 64;
  const std::vector<std::string> sets = {
      "cluster.hosts=" + std::to_string(gpus / 8), "job.layout.dp=" + std::to_string(replicas),
      "job.global_batch=" + std::to_string(32 * replicas), "job.step_time=0s"};
  const LoadedScenario loaded = load_scenario("megascale-175b-12288", sets);
  if (loaded.scenario) return loaded.scenario->world;
  state.SkipWithError(loaded.problems.front().text().c_str());
  return std::nullopt;
}

// The closed form alone: every kernel of every chunk, no schedule.
void build_and_formula(benchmark::State& state) {
  const std::optional<World> world = job_of(state.range(0), state);
  if (!world) return;
  for (auto _ : state) benchmark::DoNotOptimize(StepModel(*world).formula());
}

// With the explicit schedule that unequal chunks take.
void build_and_evaluate(benchmark::State& state) {
  const std::optional<World> world = job_of(state.range(0), state);
  if (!world) return;
  for (auto _ : state) benchmark::DoNotOptimize(StepModel(*world).evaluate().total);
}

void healthy(benchmark::State& state) {
  const std::optional<World> world = job_of(state.range(0), state);
  if (!world) return;
  const StepModel model(*world);
  for (auto _ : state) benchmark::DoNotOptimize(model.evaluate().total);
}

// A host that is slow and a NIC that carries half: two replicas differ from the others.
void perturbed(benchmark::State& state) {
  const std::optional<World> world = job_of(state.range(0), state);
  if (!world) return;
  const StepModel model(*world);
  ClusterState cluster;
  cluster.slow = {
      {.slot = 3, .gpu = kWholeHost, .slow = {.forward = 1.1, .backward = 1.1, .optimizer = 1.1}}};
  cluster.network.nics = {{.slot = 5, .nic = 2, .factor = 2}};
  for (auto _ : state) benchmark::DoNotOptimize(model.evaluate(cluster).total);
}

// Every replica differs: as many schedules as there are replicas.
void jitter(benchmark::State& state) {
  const std::optional<World> world = job_of(state.range(0), state);
  if (!world) return;
  const StepModel model(*world);
  ClusterState cluster;
  cluster.jitter = 0.02;
  for (auto _ : state) benchmark::DoNotOptimize(model.evaluate(cluster).total);
}

}  // namespace

void register_step_benchmarks() {
  const auto add = [](const char* name, void (*what)(benchmark::State&)) {
    benchmark::RegisterBenchmark(name, what)->Arg(64)->Arg(1024)->Arg(12288)->Unit(benchmark::kMicrosecond);
  };
  add("step/build_and_formula", build_and_formula);
  add("step/build_and_evaluate", build_and_evaluate);
  add("step/healthy", healthy);
  add("step/perturbed", perturbed);
  add("step/jitter", jitter);
}

}  // namespace gauntlet
