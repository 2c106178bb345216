// Which of many components are hit, at a cost that follows the hits.
#pragma once

#include "core/infinity.hpp"
#include "core/math/elementary.hpp"
#include "core/random/stream.hpp"

#include <cmath>
#include <cstdint>

namespace gauntlet {

/// Each of [0, count) with probability `p`, in ascending order. The gaps between hits are geometric: one draw for each hit.
template <class Do>
void for_each_hit(std::uint32_t count, double p, Stream draws, Do&& act) {
  if (!(p > 0)) return;
  // The logarithm of the probability of one more miss.
  const double misses = p < 1 ? math_log1p(-p) : -kInfinity;
  for (double next = 0;; ++next) {
    next += std::floor(math_log(draws.uniform()) / misses);
    if (next >= count) return;
    act(static_cast<std::uint32_t>(next));
  }
}

}  // namespace gauntlet
