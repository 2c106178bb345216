// Infinity as a double: a time that never comes, a bound that does not bind.
#pragma once

#include <limits>

namespace gauntlet {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace gauntlet
