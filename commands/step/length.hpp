// Steps that are too long to mean anything.
#pragma once

#include "commands/step/result.hpp"

#include <optional>
#include <string>

namespace gauntlet {

/// Why nobody means a step of more than a year, which part of it is so long, and what makes it; nothing where it is shorter.
/// Durations end at 292 years, so that the parts of a longer step do not add up.
std::optional<std::string> too_long(const StepReport& report);

}  // namespace gauntlet
