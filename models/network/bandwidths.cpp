#include "models/network/bandwidths.hpp"

#include <algorithm>

namespace gauntlet {

Bandwidth DimensionBandwidth::of_group(std::uint32_t group) const {
  const auto found = std::lower_bound(slow.begin(), slow.end(), group,
                                      [](const SlowGroup& s, std::uint32_t g) { return s.group < g; });
  return found != slow.end() && found->group == group ? found->bandwidth : healthy;
}

Bandwidth DimensionBandwidth::slowest() const {
  Bandwidth least = healthy;
  for (const SlowGroup& group : slow) least = std::min(least, group.bandwidth);
  return least;
}

}  // namespace gauntlet
