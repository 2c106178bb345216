#include "policies/detect/peers.hpp"

#include "core/contract.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

double median(std::vector<double> values) {
  expect(!values.empty(), "there is something in the middle");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double slow_beyond(const std::vector<double>& peers, double deviations, double least_excess) {
  constexpr double kNormal = 1.4826;  // 1 / the upper quartile of the standard normal distribution
  const double middle = median(peers);
  std::vector<double> off;
  off.reserve(peers.size());
  for (const double peer : peers) off.push_back(std::abs(peer - middle));
  return middle + std::max(deviations * kNormal * median(std::move(off)), least_excess * middle);
}

}  // namespace gauntlet
