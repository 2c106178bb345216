#include "real/driver/stop_requests.hpp"

#include <algorithm>

namespace gauntlet {

std::vector<PlannedStopRequest> stop_requests(const World& world, const FaultPlan& plan) {
  std::vector<PlannedStopRequest> requests;
  for (const PlannedStop& stop : world.job.planned_stops)
    requests.push_back({.at = stop.at, .what = {.job = JobId{0}, .hold = stop.hold}});
  for (std::uint64_t i = 0; i < plan.size(); ++i) {
    const Effect effect = world.faults[plan[i].kind.value].effect;
    if (!is_stop_request(effect)) continue;
    const bool preempted = effect == Effect::preempt;
    requests.push_back({.at = plan[i].at,
                        .what = {.job = JobId{0}, .hold = plan[i].lasts, .preempted = preempted},
                        .fault = i});
  }
  std::stable_sort(requests.begin(), requests.end(),
                   [](const PlannedStopRequest& a, const PlannedStopRequest& b) { return a.at < b.at; });
  return requests;
}

}  // namespace gauntlet
