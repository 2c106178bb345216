#include "sim/fault_plan.hpp"

#include "sim/fault_arrivals.hpp"

#include <algorithm>

namespace gauntlet {

FaultPlan draw_plan(const World& world, Seed seed, Time until) {
  FaultArrivals arrivals(world, seed);
  FaultPlan plan;
  for (const FaultClock clock : {FaultClock::always, FaultClock::training}) {
    while (after(kStart, from_seconds(arrivals.next_time(clock))) < until) {
      const Time at = after(kStart, from_seconds(arrivals.next_time(clock)));
      const Strike strike = arrivals.take(clock);
      const bool repeated = std::any_of(plan.begin(), plan.end(), [&](const PlannedFault& earlier) {
        return earlier.kind == strike.kind && earlier.component == strike.component;
      });
      // A trace says itself what repeats; a law's component has one life in a plan.
      const bool from_trace = !world.faults[strike.kind.value].trace.empty();
      if (repeated && !from_trace) continue;
      if (world.inventory.starts_in_job(host_of(world, strike.component)))
        plan.push_back({at, strike.kind, strike.component});
    }
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const PlannedFault& a, const PlannedFault& b) { return a.at < b.at; });
  return plan;
}

}  // namespace gauntlet
