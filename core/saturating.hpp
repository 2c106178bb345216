// Sums of times that saturate.
//
// A scenario may name times near the end of the range, and draws of heavy tails reach it. So whoever adds up times that come
// from a scenario adds them with these and with `after` (core/time.hpp): what would end later than kNever never ends.
#pragma once

#include "core/time.hpp"

#include <cstdint>

namespace gauntlet {

/// The last time at which anything can happen.
inline constexpr Time kLast = kNever - Duration(1);

/// `a + b`, saturating at kForever.
constexpr Duration sum(Duration a, Duration b) {
  std::int64_t both = 0;
  return __builtin_add_overflow(a.count(), b.count(), &both) ? kForever : Duration(both);
}

/// `count * each`, saturating at kForever.
constexpr Duration times(std::int64_t count, Duration each) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(count, each.count(), &product) ? kForever : Duration(product);
}

/// `at` moved by a duration of either sign, saturating at kNever and as far before the start.
constexpr Time moved(Time at, Duration by) {
  std::int64_t both = 0;
  if (!__builtin_add_overflow((at - kStart).count(), by.count(), &both)) return kStart + Duration(both);
  return by > Duration::zero() ? kNever : kStart - kForever;
}

}  // namespace gauntlet
