#include "policies/checkpoint/interval.hpp"

#include "core/math/elementary.hpp"
#include "core/math/special.hpp"

#include <cmath>

namespace gauntlet {

Duration young_interval(Duration cost, Duration mtbf) {
  return from_seconds(std::sqrt(2 * to_seconds(cost) * to_seconds(mtbf)));
}

Duration daly_interval(Duration cost, Duration mtbf) {
  const double c = to_seconds(cost);
  const double m = to_seconds(mtbf);
  if (c >= 2 * m) return mtbf;
  const double ratio = c / (2 * m);
  return from_seconds(std::sqrt(2 * c * m) * (1 + std::sqrt(ratio) / 3 + ratio / 9) - c);
}

Duration exact_interval(Duration cost, Duration mtbf) {
  const double c = to_seconds(cost);
  const double m = to_seconds(mtbf);
  constexpr double kEnd = -0x1.78b56362cef38p-2;  // -1/e: the branch ends here, and rounding may lead beyond
  return from_seconds(m * (1 + lambert_w0(std::fmax(-math_exp(-1 - c / m), kEnd))));
}

}  // namespace gauntlet
