// A pause of training that nobody is to blame for: the model is evaluated.
#pragma once

#include "core/id.hpp"

#include <limits>

namespace gauntlet {

/// In place of the fault, in `Pause::kind`.
inline constexpr FaultKindId kEvaluation{std::numeric_limits<std::uint32_t>::max()};

}  // namespace gauntlet
