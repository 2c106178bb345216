#include "config/catalogue_hardware.hpp"

#include "config/scenario.hpp"

#include <utility>

namespace gauntlet {

LoadedHardware catalogue_hardware(const std::string& name) {
  // A scenario that takes any: tiny-8 with its hosts replaced.
  const std::vector<std::string> sets = {"cluster.hardware=\"" + name + "\""};
  LoadedScenario loaded = load_scenario("tiny-8", sets);
  if (!loaded.scenario) return {.hardware = std::nullopt, .problems = std::move(loaded.problems)};
  return {.hardware = std::move(loaded.scenario->world.hardware), .problems = {}};
}

}  // namespace gauntlet
