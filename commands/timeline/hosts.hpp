// The hosts that a run involves: where each is when, and what is in repair.
#pragma once

#include "commands/timeline/chain.hpp"
#include "commands/timeline/plan.hpp"
#include "commands/timeline/run.hpp"
#include "commands/timeline/training.hpp"

#include <vector>

namespace gauntlet {

struct HostCounts {
  std::vector<CountAt> standing_by, in_repair;
};

/// Adds a track for each host that an order, an outcome or a return names, or that a fault of one host strikes, and a track of
/// repairs. Orders count once they are done.
HostCounts add_hosts(const TimelineRun& run, const Chain& chain, TracePlan& plan);

}  // namespace gauntlet
