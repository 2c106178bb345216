// How often a fault strikes, as a scenario says it: a rate, a mean life or a trace; who fails more often, and when; what is
// there from the beginning, or comes with a start of the job.
#pragma once

#include "config/fields/exposure.hpp"
#include "config/fields/fields.hpp"
#include "models/world/world.hpp"

#include <optional>

namespace gauntlet {

/// What a scenario says of how often a component fails, before it is a law.
struct FaultRate {
  double count = 0;
  std::optional<Exposure> over;
  std::optional<double> mtbf;  // seconds
  double factor = 1;           // times as often
};

void describe_rate(Fields& fields, FaultKind& fault, FaultRate& rate);
void describe_prevalence(Fields& fields, FaultKind& fault);
void describe_clock(Fields& fields, FaultKind& fault);
void describe_chance(Fields& fields, FaultKind& fault);
/// Once all of it is read: the law of the fault's life, and whether the rest fits it.
void set_life(const Place& place, FaultKind& fault, const FaultRate& rate, const World& world);
/// Whether anything at `place` says how often the fault comes by itself; else it can only follow from another.
bool says_how_often(const Place& place, const FaultKind& fault);
void rate_is_missing(const Place& place);

}  // namespace gauntlet
