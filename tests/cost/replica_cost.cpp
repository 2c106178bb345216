// Replicas of a scenario, one after the other in one workspace, to count the instructions of. Prints what they were about.
//
//   replica_cost SCENARIO REPLICAS [PATH=VALUE]...
#include "config/scenario.hpp"
#include "core/record/truth.hpp"
#include "study/replica.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  using namespace gauntlet;
  if (argc < 3) return 2;
  const std::vector<std::string> sets(argv + 3, argv + argc);
  const LoadedScenario loaded = load_scenario(argv[1], sets);
  for (const Problem& problem : loaded.problems) std::fprintf(stderr, "%s\n", problem.text().c_str());
  if (!loaded.scenario) return 2;

  Simulation simulation(loaded.scenario->world, loaded.scenario->policies);
  std::uint64_t events = 0, onsets = 0, incidents = 0;
  for (std::uint32_t replica = 0; replica < std::strtoul(argv[2], nullptr, 10); ++replica) {
    const Figures& figures = simulation.run({.seed = 1, .replica = replica});
    const TruthLog& truth = simulation.cluster().truth();
    events += simulation.cluster().events();
    incidents += figures.incidents.size();
    onsets += static_cast<std::uint64_t>(std::count_if(
        truth.begin(), truth.end(), [](const Truth& each) { return each.what == TruthKind::onset; }));
  }
  std::printf("{\"hosts\": %u, \"events\": %llu, \"faults\": %llu, \"incidents\": %llu}\n",
              loaded.scenario->world.inventory.job_hosts, static_cast<unsigned long long>(events),
              static_cast<unsigned long long>(onsets), static_cast<unsigned long long>(incidents));
}
