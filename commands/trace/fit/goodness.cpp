#include "commands/trace/fit/goodness.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gauntlet {

Distances distances_of(const Durations& sample, const Law& law) {
  expect(sample.size() > 0, "there is a sample");
  const double n = sample.size();
  double farthest = 0, sum = 0, below = 0;  // `below`: how many values are less than this one
  for (std::size_t i = 0; i < sample.values().size(); ++i) {
    const double hazard = law.cumulative_hazard(sample.values()[i]);
    const double reached = -math_expm1(-hazard);
    const double upto = below + sample.counts()[i];
    farthest = std::max({farthest, std::abs(reached - below / n), std::abs(upto / n - reached)});
    // The sums of 2i - 1 over the ranks of the equal values, from both ends.
    sum += (upto * upto - below * below) * math_log(reached);
    sum -= ((n - below) * (n - below) - (n - upto) * (n - upto)) * hazard;
    below = upto;
  }
  Distances out{.kolmogorov_smirnov = farthest, .anderson_darling = {}};
  if (const double squared = -n - sum / n; std::isfinite(squared)) out.anderson_darling = squared;
  return out;
}

}  // namespace gauntlet
