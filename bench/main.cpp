// Timings to look at: `make bench`, or `gauntlet_bench --benchmark_filter=replica/` for some of them.
#include "bench/event_queue_bench.hpp"
#include "bench/network_bench.hpp"
#include "bench/rank_bench.hpp"
#include "bench/scenario_bench.hpp"
#include "bench/step_bench.hpp"
#include "bench/topology_bench.hpp"

#include <benchmark/benchmark.h>

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  gauntlet::register_event_queue_benchmarks();
  gauntlet::register_topology_benchmarks();
  gauntlet::register_network_benchmarks();
  gauntlet::register_step_benchmarks();
  gauntlet::register_scenario_benchmarks();
  gauntlet::register_rank_benchmarks();
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
