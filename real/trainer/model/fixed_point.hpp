// Numbers whose sum does not depend on the order of its terms: multiples of 2^-36 in 64 bits. Sums over samples, over replicas and over
// the parts of a layer are taken in them, so that the state after a step does not depend on the layout of the job.
//
// A term is exact to 1.5e-11. Terms are bounded by 2^20 and a sum of 2^7 such terms is the largest: what is beyond the bound counts as the
// bound, and what is not a number as zero. Gradients of the trainer's model are of order 1.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace gauntlet {

using Fixed = std::int64_t;

inline constexpr double kFixedOne = 68'719'476'736.0;  // 2^36
inline constexpr double kFixedBound = 1'048'576.0;     // 2^20

inline Fixed to_fixed(double value) {
  if (std::isnan(value)) return 0;
  // To the nearest, and to even in the middle: the default mode of rounding, which nothing here changes.
  return static_cast<Fixed>(std::nearbyint(std::clamp(value, -kFixedBound, kFixedBound) * kFixedOne));
}
inline double from_fixed(Fixed value) { return static_cast<double>(value) / kFixedOne; }

}  // namespace gauntlet
