#include "sim/faults/fault_plan.hpp"

#include "models/world/blast_radius.hpp"
#include "sim/faults/fault_arrivals.hpp"

#include <algorithm>

namespace gauntlet {

FaultPlan draw_plan(const World& world, Seed seed, Time until) {
  FaultArrivals arrivals(world, seed);
  FaultPlan plan;
  const auto add = [&](Time at, const Strike& strike) {
    if (world.inventory.starts_in_job(hosts_of(world, strike.component).first))
      plan.push_back({at, strike.kind, strike.component});
  };
  for (const Strike& strike : arrivals.present_at_start()) add(kStart, strike);
  for (const Strike& strike : arrivals.at_start_of_job(0)) add(kStart, strike);
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
      add(at, strike);
    }
  }
  std::stable_sort(plan.begin(), plan.end(),
                   [](const PlannedFault& a, const PlannedFault& b) { return a.at < b.at; });
  return plan;
}

}  // namespace gauntlet
