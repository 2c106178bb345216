// gauntlet topology: the cluster's network, as text or as a picture.
#include "commands/topology/command.hpp"

#include "config/fabric_size.hpp"
#include "config/scenario.hpp"
#include "models/topology/topology.hpp"
#include "shell/exit_code.hpp"
#include "shell/study_request.hpp"
#include "shell/terminal.hpp"

#include <fmt/format.h>

#include <memory>

namespace gauntlet {
namespace {

struct TopologyRequest {
  std::string scenario;
  std::vector<std::string> sets;
  bool dot = false;  // Graphviz instead of text
};

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

int topology_command(const TopologyRequest& request) {
  const auto loaded = load_scenario(request.scenario, request.sets);
  if (!loaded.scenario) return wrong_input(loaded.problems);
  const World& world = loaded.scenario->world;
  if (const std::optional<Problem> problem = problem_of_size(request.scenario, world))
    return wrong_input(*problem);
  const Topology topology(world.inventory.hosts(), world.inventory.hosts_per_tor, world.hardware,
                          world.fabric);
  return print(request.dot ? to_dot(topology) : introduction(world, topology) + to_text(topology)) ? kSuccess
                                                                                                   : kFailed;
}

void add_topology_options(Command& topology) {
  const auto request = std::make_shared<TopologyRequest>();
  add_scenario(topology, request->scenario);
  add_sets(topology, request->sets);
  topology.flag("--dot", request->dot, "Print the graph for Graphviz; equal parts are drawn as one");
  topology.runs([request] { return topology_command(*request); });
}

}  // namespace

void add_topology(Program& program) {
  program.command("topology",
                  "Show the network of a scenario's cluster: switches, bandwidths, failure domains",
                  "  gauntlet topology megascale-175b-12288\n"
                  "  gauntlet topology tiny-8 --set cluster.network.kind=clos\n"
                  "  gauntlet topology llama3-405b-54d --dot | dot -Tsvg > network.svg",
                  add_topology_options);
}

}  // namespace gauntlet
