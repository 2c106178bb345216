#include "config/checks/operator_checks.hpp"

#include "core/quantity.hpp"

#include <string>

namespace gauntlet {

void check_operators(const Place& root, const World& world) {
  const bool sized = root.all_sound("cluster.hosts", "spares");
  for (const ScriptedAction& action : world.operators) {
    const std::string path = "operators." + action.name;
    if (!root.sound(path)) continue;
    if (sized && action.host.value >= world.inventory.hosts())
      root.mistake_at(path + ".host",
                      "is not in the cluster, which has " + std::to_string(world.inventory.hosts()) +
                          " hosts, spare hosts included",
                      "write 0 to " + std::to_string(world.inventory.hosts() - 1));
    const bool late = root.sound("job.window") && world.job.window > Duration::zero() &&
                      action.at > kStart + world.job.window;
    if (late)
      root.mistake_at(path + ".at", "is after the window of " + to_text(world.job.window),
                      "write an earlier time, or a longer job.window");
  }
}

}  // namespace gauntlet
