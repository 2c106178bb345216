#include "study/levers/larger_mean.hpp"

#include "core/math/special.hpp"
#include "study/levers/rare_events.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

CorrectedT corrected_t(std::span<const Fraction> first, std::span<const Fraction> second) {
  const PairedScatter of = paired_scatter(first, second);
  if (!(of.error > 0)) return {};
  const double t = of.difference / of.error;
  const double g = of.skewness - std::sqrt(6.0) / static_cast<double>(first.size());
  const double hall = t + g * t * t / 3 + g * g * t * t * t / 27 + g / 6;
  return {.value = std::min(t, hall), .events = 1 / (g * g)};
}

bool is_larger(std::span<const Fraction> first, std::span<const Fraction> second, double level) {
  if (first.size() < 2) return false;
  const CorrectedT of = corrected_t(first, second);
  if (!(of.value > 0)) return false;
  return of.exceeds(student_t_quantile(1 - level, static_cast<double>(first.size() - 1)));
}

}  // namespace gauntlet
