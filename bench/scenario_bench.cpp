#include "bench/scenario_bench.hpp"

#include "config/scenario.hpp"
#include "config/toml/files.hpp"
#include "study/replica.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>
#include <string>

namespace gauntlet {
namespace {

std::string problems_of(const LoadedScenario& loaded) {
  std::string all;
  for (const Problem& problem : loaded.problems) all += problem.text() + "\n";
  return all;
}

void load(benchmark::State& state, const std::string& name) {
  for (auto _ : state) {
    const LoadedScenario loaded = load_scenario(name, {});
    if (!loaded.scenario) return state.SkipWithError(problems_of(loaded).c_str());
  }
}

// Each iteration is another replica of one study, in a workspace that is kept, as a study runs them.
void replica(benchmark::State& state, const std::string& name) {
  const LoadedScenario loaded = load_scenario(name, {});
  if (!loaded.scenario) return state.SkipWithError(problems_of(loaded).c_str());
  Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
  std::uint32_t replicas = 0;
  std::uint64_t events = 0;
  std::uint64_t observations = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(simulation.run({.seed = loaded.scenario->study.seed, .replica = replicas++}));
    events += simulation.cluster().events();
    observations += simulation.record().observations.size();
  }
  const auto of_each = [&](std::uint64_t sum) {
    return benchmark::Counter(static_cast<double>(sum), benchmark::Counter::kAvgIterations);
  };
  state.counters["events"] = of_each(events);
  state.counters["observations"] = of_each(observations);
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
}

// The speed that elision buys: every detector on 12,288 GPUs, an hour of it. The same replicas with full telemetry, by the
// same clock, are compared beside; `buys` is how many times as long they take.
void elision(benchmark::State& state) {
  const std::string sets[] = {"job.window=1h"};
  const LoadedScenario loaded = load_scenario("every-fault", sets);
  if (!loaded.scenario) return state.SkipWithError(problems_of(loaded).c_str());
  Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
  const auto run = [&](std::uint32_t replica, bool full) {
    const std::clock_t before = std::clock();
    benchmark::DoNotOptimize(
        simulation.run({.seed = loaded.scenario->study.seed, .replica = replica, .full_telemetry = full}));
    return static_cast<double>(std::clock() - before);
  };
  run(0, false);  // fills what a workspace keeps
  constexpr std::uint32_t kReplicas = 3;
  double full = 0, elided = 0, events_full = 0, events_elided = 0;
  for (std::uint32_t replica = 1; replica <= kReplicas; ++replica) {
    full += run(replica, true);
    events_full += static_cast<double>(simulation.cluster().events());
    elided += run(replica, false);
    events_elided += static_cast<double>(simulation.cluster().events());
  }
  std::uint32_t replica = 0;
  for (auto _ : state) run(1 + replica++ % kReplicas, false);
  state.counters["buys"] = full / std::max(elided, 1.0);
  state.counters["fewer_events"] = events_full / events_elided;
}

}  // namespace

void register_scenario_benchmarks() {
  benchmark::RegisterBenchmark("elision/every-fault", elision)->Unit(benchmark::kMicrosecond);
  for (const std::string& name : shipped_scenario_names()) {
    benchmark::RegisterBenchmark(("load/" + name).c_str(), load, name)->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("replica/" + name).c_str(), replica, name)->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace gauntlet
