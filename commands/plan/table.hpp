// The tables of a plan.
#pragma once

#include "commands/plan/result.hpp"

#include <string>
#include <vector>

namespace gauntlet {

/// The plan as given, and what is enough or the best that was tried: what each buys, and its cost.
std::string size_table(const PlanResult& result);

/// When the runs of the same plans complete the work.
std::string finish_table(const PlanResult& result);

/// What each purchase changes. `dated`: the plan has a date to finish by. `currency`: of the costs; empty:
/// the costs are GPU-hours.
std::string purchase_table(const std::vector<Purchase>& bought, bool dated, const std::string& currency);

/// A bar for each parameter.
std::string tornado_table(const Tornado& tornado);

/// What the variance of the finish comes from, the largest share first. It has one.
std::string source_table(const Uncertainty& of);

/// Each metric without and with what is not known; costs are in `currency`.
std::string uncertainty_table(const Uncertainty& of, const std::string& currency);

}  // namespace gauntlet
