// One more of each thing that a plan buys, and what a tenth less of two waits would be worth.
#pragma once

#include "commands/plan/variants.hpp"

#include <string>
#include <vector>

namespace gauntlet {

struct Offer {
  std::string what;  // "1 more spare host"
  Variant variant;
};

/// More than `from`, whose scenario is `scenario`: a data-parallel replica, a spare host, a tenth of storage bandwidth, a
/// technician, those that can make a difference. Then a checkpoint interval (of the fixed policy) and a restart that are a
/// tenth shorter than in `resolved`, the scenario as given.
std::vector<Offer> offers(const Variant& from, const Scenario& scenario, const Value& resolved);

/// Each offer against the point `from`, over the same faults. Stops with the variants.
std::vector<Purchase> purchases(PlanVariants& variants, PointNumber from, const std::vector<Offer>& offers);

}  // namespace gauntlet
