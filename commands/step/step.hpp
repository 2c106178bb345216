// One training step of a scenario's job, with parts of the cluster degraded.
#pragma once

#include "commands/step/degrade.hpp"
#include "commands/step/picture.hpp"
#include "commands/step/result.hpp"
#include "models/network/bandwidths.hpp"
#include "models/world/world.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// How bandwidths are found.
struct StepNetwork {
  std::string name = "closed-form";
  Network model = {};  // empty: the closed form
};

struct StepAnswer {
  StepReport report;
  std::optional<StepPictures> pictures;
};

enum class Pictures : std::uint8_t { none, all };

/// The network is asked for a state several times. What it throws goes through; a step of more than a year is a
/// std::runtime_error that says which part of it is so long.
StepAnswer examine(const World& world, const Degraded& degraded, const StepNetwork& network,
                   Pictures pictures);

}  // namespace gauntlet
