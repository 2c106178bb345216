// What one simulated drill is about: a small scenario and a fault plan, drawn from its seed.
#pragma once

#include "config/scenario.hpp"
#include "models/world/fault_plan.hpp"
#include "tests/driver/disturbances.hpp"

#include <cstdint>

namespace gauntlet {

struct DrillCase {
  Scenario scenario;
  FaultPlan plan;
  Disturbances disturbances;
  Duration rough_for;  // nothing but the plan goes wrong later
};
DrillCase case_of(std::uint64_t seed);

}  // namespace gauntlet
