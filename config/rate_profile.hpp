// Who fails more often than others, and when, as a scenario says it: lemons, batches, a daily cycle, a curve over time.
#pragma once

#include "config/fault_defaults.hpp"
#include "config/fields.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

void describe_profile(Fields& fields, RateProfile& profile, const ModelDefaults& defaults);
/// Once the fault's life is known: only a constant rate can differ so. What the model gives is written down.
void check_profile(const Place& place, const FaultKind& fault, const World& world);

}  // namespace gauntlet
