// Normal values for tests of statistics.
#pragma once

#include "core/random/stream.hpp"

namespace gauntlet {

/// Nearly: the sum of twelve uniform values.
inline double normal(Stream& stream) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += stream.uniform();
  return sum;
}

}  // namespace gauntlet
