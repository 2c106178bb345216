// Which hosts leave for good instead of coming back from repair. Repairs fail silently, and some hosts are lemons: taken back,
// they stop the job again.
//
// `never`: all come back. `threshold`: those that were evicted `evictions` times within `window` leave. `score`: each
// eviction counts one and fades by half with every `window` (an assumption; it forgives nothing all at once); with a score
// above `evictions` - 1 the host leaves.
#pragma once

#include "core/id.hpp"
#include "core/time.hpp"
#include "policies/constants.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace gauntlet {

class Retirement {
 public:
  enum class Rule : std::uint8_t { never, threshold, score };
  Retirement(Rule rule, const RetirementConstants& constants) : rule_(rule), constants_(constants) {}

  void evicted(HostId host, Time now);
  /// Whether a host that is back from repair leaves.
  bool leaves(HostId host) const;

 private:
  struct Past {
    std::vector<Time> evictions;  // threshold: the last ones, oldest first
    double score = 0;             // when it was evicted last
    Time last{};
  };

  Rule rule_;
  RetirementConstants constants_;
  std::map<HostId, Past> past_;
};

}  // namespace gauntlet
