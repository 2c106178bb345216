#include "bench/scenario_bench.hpp"

#include "config/files.hpp"
#include "config/scenario.hpp"
#include "study/replica.hpp"

#include <benchmark/benchmark.h>

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

}  // namespace

void register_scenario_benchmarks() {
  for (const std::string& name : shipped_scenario_names()) {
    benchmark::RegisterBenchmark(("load/" + name).c_str(), load, name)->Unit(benchmark::kMicrosecond);
    benchmark::RegisterBenchmark(("replica/" + name).c_str(), replica, name)->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace gauntlet
