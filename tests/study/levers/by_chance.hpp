// How often a rare answer may come by chance.
#pragma once

#include "core/math/special.hpp"

#include <cstdint>

namespace gauntlet {

/// The count that a Poisson variable of that mean exceeds once in a million times.
inline std::uint64_t most_by_chance(double mean) {
  std::uint64_t count = 0;
  while (incomplete_gamma_p(static_cast<double>(count + 1), mean) > 1e-6) ++count;
  return count;
}

}  // namespace gauntlet
