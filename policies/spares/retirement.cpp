#include "policies/spares/retirement.hpp"

#include "core/math/elementary.hpp"

namespace gauntlet {

// What counts is how often a host was evicted, not how long its repairs took: `leaves` looks at the last eviction.
void Retirement::evicted(HostId host, Time now) {
  if (rule_ == Rule::never) return;
  Past& past = past_[host];
  if (rule_ == Rule::threshold) {
    std::erase_if(past.evictions, [&](Time at) { return now - at > constants_.window; });
    past.evictions.push_back(now);
    return;
  }
  const double halves = to_seconds(now - past.last) / to_seconds(constants_.window);
  past.score = past.score * math_pow(0.5, halves) + 1;
  past.last = now;
}

bool Retirement::leaves(HostId host) const {
  const auto past = past_.find(host);
  if (past == past_.end()) return false;
  if (rule_ == Rule::score) return past->second.score > constants_.evictions - 1.0;
  return past->second.evictions.size() >= constants_.evictions;
}

}  // namespace gauntlet
