#include "study/published/catalogue_hardware.hpp"

#include "config/scenario.hpp"

#include <utility>
#include <vector>

namespace gauntlet {

std::optional<Hardware> catalogue_hardware(const std::string& name) {
  // A scenario that takes any: tiny-8 with its hosts replaced.
  const std::vector<std::string> sets = {"cluster.hardware=\"" + name + "\""};
  LoadedScenario loaded = load_scenario("tiny-8", sets);
  if (!loaded.scenario) return std::nullopt;
  return std::move(loaded.scenario->world.hardware);
}

}  // namespace gauntlet
