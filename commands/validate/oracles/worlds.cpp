#include "commands/validate/oracles/worlds.hpp"

#include "study/replica.hpp"

#include <memory>
#include <utility>

namespace gauntlet {
namespace {

// A simulation refers to its world, so that both stay where they are.
struct Workspace {
  Workspace(World of, PolicyConstants under)
      : world(std::move(of)), policies(std::move(under)), simulation(world, policies) {}
  const World world;
  const PolicyConstants policies;
  Simulation simulation;
};

}  // namespace

OracleSampler simulated(World world, PolicyConstants policies, ReadFigures read) {
  const auto space = std::make_shared<Workspace>(std::move(world), std::move(policies));
  return [space, read = std::move(read)](Seed seed, std::span<Fraction> out) {
    read(space->simulation.run({.seed = seed.study, .replica = seed.replica}), out);
  };
}

Fraction efficiency(double work_minutes, const Figures& figures) {
  return {.numerator = work_minutes, .denominator = to_seconds(figures.wall) / 60};
}

}  // namespace gauntlet
