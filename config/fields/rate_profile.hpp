// Who fails more often than others, and when, as a scenario says it: lemons, batches, a daily cycle, a curve over time.
#pragma once

#include "config/fields/fields.hpp"
#include "models/world/world.hpp"

namespace gauntlet {

void describe_profile(Fields& fields, RateProfile& profile);
/// Once the fault's life is known: only a constant rate can differ so.
void check_profile(const Place& place, const FaultKind& fault, const World& world);

}  // namespace gauntlet
