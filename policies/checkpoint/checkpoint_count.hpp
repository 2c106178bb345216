// How many checkpoints to storage may have been taken since a time, by the orders that were given for them. A job says when it
// trains and what it saved when it was asked to, and not when it took each of its periodic checkpoints; these are never closer
// together than their interval. So the count is never too low, and one too high at times.
#pragma once

#include "core/action.hpp"
#include "core/tier.hpp"
#include "core/time.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace gauntlet {

class CheckpointCount {
 public:
  void on(Time now, const CheckpointEvery& ordered) {
    if (ordered.tier == Tier::storage) intervals_.emplace_back(now, ordered.interval);
  }
  void on(Time now, const Checkpoint&) { single_.push_back(now); }

  /// `since` not included.
  std::uint32_t most_since(Time since, Time now) const {
    auto count = std::count_if(single_.begin(), single_.end(), [&](Time each) { return each > since; });
    Time until = now;
    for (auto each = intervals_.rbegin(); each != intervals_.rend() && until > since; ++each) {
      const Duration passed = until - std::max(each->first, since);
      if (passed > Duration::zero()) count += 1 + (passed - Duration(1)) / each->second;
      until = std::min(until, each->first);
    }
    return static_cast<std::uint32_t>(std::min<std::int64_t>(count, kMost));
  }

 private:
  static constexpr std::int64_t kMost = 1'000'000;  // further back is the beginning

  std::vector<std::pair<Time, Duration>> intervals_;  // from when on, in order
  std::vector<Time> single_;                          // ordered one by one
};

}  // namespace gauntlet
