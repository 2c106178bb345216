#include "config/fabric_size.hpp"

#include "models/topology/topology.hpp"

#include <fmt/format.h>

namespace gauntlet {

std::optional<Problem> problem_of_size(const std::string& scenario, const World& world) {
  const std::uint32_t hosts = world.inventory.hosts();
  const auto misfit = size_misfit(hosts, world.inventory.hosts_per_tor, world.hardware, world.fabric);
  if (!misfit) return std::nullopt;
  return Problem{.file = scenario,
                 .what = fmt::format("{} = {}", misfit->what, world.inventory.job_hosts),
                 .why = misfit->why,
                 .suggestion = misfit->suggestion};
}

}  // namespace gauntlet
