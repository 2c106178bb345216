// What a plan takes its step time for.
#pragma once

#include "config/scenario.hpp"
#include "study/uncertainty/result.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// Of a modelled step time, how far it may be off, and how much of the spread of the finish that causes. `uncertainty`: where it was
/// asked for. Empty where there is nothing to say.
std::string step_time_note(const Scenario& scenario, const std::optional<Uncertainty>& uncertainty);

}  // namespace gauntlet
