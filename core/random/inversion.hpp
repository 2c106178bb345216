// Finding the time at which a cumulative hazard reaches a value, where no formula gives it.
#pragma once

#include "core/infinity.hpp"
#include "core/math/elementary.hpp"

#include <cmath>

namespace gauntlet::detail {

/// The hazard at which half have failed.
inline constexpr double kLogOfTwo = 0.69314718055994530942;

inline double at_least_zero(double x) { return x > 0 ? x : 0; }

/// A cumulative hazard H(t) and its derivative.
struct HazardAt {
  double hazard;
  double rate;
};

/// -log S from whichever of P(T <= t) and S(t) is the smaller, so that neither end loses digits.
inline double hazard_of(double reached, double survival) {
  return reached < 0.5 ? -math_log1p(-reached) : -math_log(survival);
}

/// 1 - exp(-h).
inline double reached_at_hazard(double h) { return -math_expm1(-h); }

/// The t > 0 with H(t) = h for an increasing H, to about 1e-13 relative as far as H is. `hazard_at(t)` gives
/// HazardAt; `guess` > 0 is where the search begins.
///
/// Newton's method on log H as a function of log t, which is a straight line for a Weibull law and nearly one
/// at both ends of the others; kept inside a bracket, which is halved (geometrically) where a step would
/// leave it.
template <class Function>
double invert_hazard(double h, double guess, Function hazard_at) {
  constexpr double kCloseEnough = 3e-8;  // the error after such a step is of the order of its square
  constexpr double kSmallestStart = 1e-290;
  if (!(h > 0)) return 0;
  if (h == kInfinity) return kInfinity;
  double low = 0;
  double high = kInfinity;
  double t = guess > kSmallestStart ? guess : kSmallestStart;
  for (int step = 0; step < 300; ++step) {
    const HazardAt here = hazard_at(t);
    if (here.hazard == h) return t;
    (here.hazard < h ? low : high) = t;
    double next = 0;
    if (here.hazard > 0 && here.hazard < kInfinity && here.rate > 0) {
      const double change = math_log(h / here.hazard) * here.hazard / (t * here.rate);
      next = t * math_exp(change);
      if (std::fabs(change) < kCloseEnough) return next;
    }
    if (!(next > low && next < high)) {
      next = high == kInfinity ? 8 * low : low == 0 ? high / 8 : std::sqrt(low) * std::sqrt(high);
    }
    if (next == low || next == high) return next;
    t = next;
  }
  return t;
}

}  // namespace gauntlet::detail
