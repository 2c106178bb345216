#include "study/levers/larger_mean.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"
#include "study/levers/paired_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace gauntlet {

namespace {

CorrectedT corrected(const PairedScatter& of, std::size_t pairs) {
  if (!(of.error > 0)) return {};
  const double t = of.difference / of.error;
  const double g = of.skewness - std::sqrt(6.0) / static_cast<double>(pairs);
  const double hall = t + g * t * t / 3 + g * g * t * t * t / 27 + g / 6;
  return {.value = std::min(t, hall),
          .events = g < 0 ? 1 / (g * g) : std::numeric_limits<double>::infinity()};
}

}  // namespace

CorrectedT corrected_t(std::span<const Fraction> first, std::span<const Fraction> second) {
  return corrected(paired_scatter(first, second), first.size());
}

bool is_larger(std::span<const Fraction> first, std::span<const Fraction> second, double level,
               const LargerBy& by) {
  if (first.size() < 2 + by.controls) return false;
  PairedScatter of = paired_scatter(first, second);
  of.difference -= by.more;
  const double unseen = -math_log(level), each = std::max(of.largest, by.deviation), hidden = unseen * each;
  if (!(of.error > 0) || !(of.difference > hidden)) return false;
  const CorrectedT t = corrected(of, first.size());
  constexpr std::size_t kFewestForBernstein = 32;
  const double variance = of.error * of.error + unseen * each * each;
  if (first.size() >= kFewestForBernstein && t.events > unseen &&
      of.difference > hidden + std::sqrt(2 * unseen * variance))
    return true;
  const double quantile = student_t_quantile(1 - level, static_cast<double>(first.size() - 1 - by.controls));
  return of.difference - hidden > quantile * of.error && t.exceeds(quantile);
}

}  // namespace gauntlet
