// Which controls the means of a scenario have: chosen from the scenario alone, before any replica has run.
#pragma once

#include "models/world/world.hpp"

#include <cstdint>
#include <vector>

namespace gauntlet {

/// As ScenarioFacts::controls: first all kinds of faults together that stop the job and whose hazard is known, then the work that stops
/// took, then single kinds, those first that promise to cost most.
std::vector<std::vector<std::uint32_t>> choose_controls(const World& world);

}  // namespace gauntlet
