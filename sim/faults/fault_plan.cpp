#include "sim/faults/fault_plan.hpp"

#include "models/world/blast_radius.hpp"
#include "sim/engine/moment.hpp"
#include "sim/faults/fault_arrivals.hpp"

#include <algorithm>
#include <vector>

namespace gauntlet {
namespace {

/// The time until it heals, by the stream of Faults::strike.
Duration lasting(const FaultKind& kind, Seed seed, Time at, ComponentId component) {
  if (!kind.heals_after) return {};
  Stream draws = stream_now(seed, stream_name("heal." + kind.name), at, component.index);
  return from_seconds(kind.heals_after->sample(draws));
}

/// The time of the repair that it leads to, by the stream of Faults::repair_cause.
Duration repairing(const World& world, Seed seed, const PlannedFault& fault) {
  if (world.faults[fault.kind.value].remedy != Remedy::repair || !sits_in_host(fault.component.kind))
    return {};
  const std::uint32_t host = hosts_of(world, fault.component).first.value;
  Stream draws = stream_now(seed, stream_name("repair"), fault.at, nth_of(host, 0));
  Law time = world.repair.time;
  for (const auto& [kind, own] : world.repair.by_cause) {
    if (kind == fault.kind) time = own;
  }
  return from_seconds(time.sample(draws));
}

/// Whether its line comes, by the stream of Monitoring::log_fault.
bool logging(const FaultKind& kind, Seed seed, Time at, ComponentId component) {
  const Probability comes = kind.symptoms.log_probability;
  if (!kind.symptoms.log || comes.value >= 1) return true;
  Stream draws = stream_now(seed, stream_name("symptom." + kind.name), at, component.index);
  return draws.uniform() < comes.value;
}

/// How long a fault acts, as far as the plan knows.
Duration acting(const FaultKind& kind, const PlannedFault& fault) {
  if (kind.heals_after) return fault.lasts;
  if (kind.remedy == Remedy::repair) return fault.repair;
  return kind.remedy == Remedy::restart && stops_job(kind.effect) ? Duration::zero() : kForever;
}

}  // namespace

FaultPlan draw_plan(const World& world, Seed seed, Time until) {
  FaultArrivals arrivals(world, seed);
  FaultPlan plan;
  const auto add = [&](Time at, const Strike& strike) {
    if (!world.inventory.starts_in_job(hosts_of(world, strike.component).first)) return;
    PlannedFault fault{.at = at, .kind = strike.kind, .component = strike.component};
    fault.lasts = lasting(world.faults[strike.kind.value], seed, at, strike.component);
    fault.repair = repairing(world, seed, fault);
    fault.logs = logging(world.faults[strike.kind.value], seed, at, strike.component);
    plan.push_back(fault);
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

BoundedPlan within_bound(const World& world, const FaultPlan& plan) {
  BoundedPlan bounded;
  std::vector<Time> ends;  // of the faults that act
  for (const PlannedFault& fault : plan) {
    const FaultKind& kind = world.faults[fault.kind.value];
    std::erase_if(ends, [&](Time end) { return end <= fault.at; });
    const bool counts = world.drill.at_once > 0 && !is_stop_request(kind.effect);
    const bool fits = !counts || ends.size() < world.drill.at_once;
    (fits ? bounded.kept : bounded.left_out).push_back(fault);
    if (counts && fits) ends.push_back(after(fault.at, acting(kind, fault)));
  }
  return bounded;
}

BoundedPlan plan_of_drill(const World& world, std::uint64_t seed) {
  constexpr std::int64_t kLonger =
      10;  // an assumption: no drill takes so many times as long as its fault-free run
  const Time until = world.job.window > Duration::zero()
                         ? kStart + world.job.window
                         : kStart + kLonger * world.job.steps * world.job.step_time;
  return within_bound(world, draw_plan(world, {.study = seed, .replica = 0}, until));
}

}  // namespace gauntlet
