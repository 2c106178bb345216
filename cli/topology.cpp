// gauntlet topology: the cluster's network, as text or as a picture.
#include "models/topology/topology.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/fabric_size.hpp"
#include "cli/terminal.hpp"
#include "config/scenario.hpp"

#include <fmt/format.h>

namespace gauntlet {
namespace {

std::string introduction(const World& world, const Topology& topology) {
  std::string text = fmt::format("{}: the network of {} hosts", world.name, topology.hosts());
  if (world.inventory.spares > 0) text += fmt::format(", {} of them spares", world.inventory.spares);
  const std::uint32_t wired = topology.shape().spines();
  if (wired > 0 && wired < world.fabric.spines)
    text +=
        fmt::format("\n{} of {} spine switches are used: a multiple of the {} aggregation switches of a pod",
                    wired, world.fabric.spines, world.fabric.aggregations_per_pod);
  return text + "\n\n";
}

}  // namespace

int topology_command(const TopologyRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.sets);
  if (!loaded.scenario) {
    print_problems(loaded.problems);
    return kWrongInput;
  }
  const World& world = loaded.scenario->world;
  if (const std::optional<Problem> problem = problem_of_size(request.scenario, world)) {
    print_problems({&*problem, 1});
    return kWrongInput;
  }
  const Topology topology(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware,
                          world.fabric);
  return print(request.dot ? to_dot(topology) : introduction(world, topology) + to_text(topology)) ? kSuccess
                                                                                                   : kFailed;
}

}  // namespace gauntlet
