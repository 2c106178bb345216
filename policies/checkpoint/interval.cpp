#include "policies/checkpoint/interval.hpp"

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

}  // namespace gauntlet
