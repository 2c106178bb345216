// What the faults that are there do to the job together: who holds it, what slows it, and what strikes it again.
#include "core/infinity.hpp"
#include "sim/faults/faults.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gauntlet {
namespace {

void sort(ClusterState& state) {
  std::sort(state.slow.begin(), state.slow.end());
  std::sort(state.network.nics.begin(), state.network.nics.end());
}

}  // namespace

// --- what strikes it again -------------------------------------------------------------------------------------------

ActiveFault* Faults::returns(FaultRef ref, Returning which) {
  ActiveFault& fault = active_[ref];
  const FaultKind& kind = kind_of(fault);
  if ((kind.clock == FaultClock::start) != (which == Returning::at_start)) return nullptr;
  if (waits_for_step(fault)) return nullptr;
  if (stops_job(kind.effect))
    log_truth(std::exchange(fault.met_job, true) ? TruthKind::returned : TruthKind::met, fault);
  return &fault;
}

void Faults::wait_for_same_step(const Gang& gang) {
  if (gang.state() != Gang::State::training) return engine_->hold(same_step_);
  Time at = kNever;
  for (const FaultRef ref : on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (!waits_for_step(fault)) continue;
    const std::int64_t step = std::max(fault.step, gang.stretch().first_step);
    at = std::min(at, gang.time_of_step(step) + gang.stretch().step / 2);
  }
  engine_->set(same_step_, std::max(at, engine_->now()), Priority::fault, FaultReturns{});
}

ActiveFault* Faults::at_same_step(const Gang& gang) {
  for (const FaultRef ref : on_job(Concern::holds)) {
    ActiveFault& fault = active_[ref];
    if (!waits_for_step(fault) || gang.steps_at(engine_->now()) < fault.step) continue;
    log_truth(TruthKind::returned, fault);
    return &fault;
  }
  return nullptr;
}

void Faults::training_halts() {
  clocks_.training_halts();
  engine_->hold(same_step_);
}

// --- what holds it ---------------------------------------------------------------------------------------------------

void Faults::stop_is(Time by, DrawsOfStop draws) {
  if (stop_.by == by) return;
  for (const FaultRef before : active_.struck_at(stop_.by)) active_[before].stop = stop_.draws;
  stop_ = {.by = by, .draws = draws};
}

Faults::Stalls Faults::stalls() const {
  Stalls found;
  for (const FaultRef ref : on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (kind_of(fault).effect != Effect::stall) continue;
    if (found.first == nullptr) found.first = &fault;
    found.until = std::max(found.until, fault.heals);
  }
  return found;
}

bool Faults::storage_is_out() const {
  const std::vector<FaultRef>& holding = on_job(Concern::holds);
  return std::any_of(holding.begin(), holding.end(),
                     [this](FaultRef ref) { return kind_of(active_[ref]).halts_storage; });
}

const std::vector<std::uint32_t>& Faults::culprit_slots() {
  std::vector<std::uint32_t>& slots = culprit_slots_;
  slots.clear();
  for (const FaultRef ref : on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (fault.component.kind == ComponentKind::job) {
      slots.push_back(0);
      continue;
    }
    for_each_host(fault.hosts, [&](HostId host) {
      if (hosts_->in_job(host)) slots.push_back(hosts_->seats().slot_of(host));
    });
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

std::optional<HostId> Faults::culprit() const {
  for (const FaultRef ref : on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (!stops_job(kind_of(fault).effect) || kind_of(fault).remedy != Remedy::repair) continue;
    if (const std::optional<HostId> host = hosts_->first_in_job(fault.hosts)) return host;
  }
  return std::nullopt;
}

double Faults::loss() const {
  double worst = 0;
  for (const FaultRef ref : on_job(Concern::loss)) {
    const double moved = kind_of(active_[ref]).symptoms.loss;
    if (std::isnan(moved)) return moved;
    worst = std::max(worst, moved);
  }
  return worst;
}

// --- what slows it ---------------------------------------------------------------------------------------------------

/// What it slows on a host in that slot.
void Faults::add_seat(const ActiveFault& fault, std::uint32_t slot, ClusterState& state) const {
  const FaultKind& kind = kind_of(fault);
  const auto part_of_host = [&](ComponentKind part, std::uint32_t each, std::uint32_t whole) {
    return fault.component.kind == part ? fault.component.index % each : whole;
  };
  if (kind.effect == Effect::slow) {
    const std::uint32_t gpu = part_of_host(ComponentKind::gpu, world_->hardware.gpus_per_host, kWholeHost);
    state.slow.push_back({slot, gpu, slow_in(kind.segment, fault.factor)});
  } else if (kind.effect == Effect::degrade) {
    const std::uint32_t nic = part_of_host(ComponentKind::nic, world_->hardware.nics_per_host, kAllNics);
    state.network.nics.push_back({slot, nic, fault.factor});
  }
}

/// On the job's hosts.
void Faults::add_seats(const ActiveFault& fault, ClusterState& state) const {
  const Effect effect = kind_of(fault).effect;
  if (effect != Effect::slow && effect != Effect::degrade) return;
  const Seats& seats = hosts_->seats();
  for_each_host(fault.hosts, [&](HostId host) {
    const std::uint32_t slot = seats.slot_of(host);
    if (hosts_->in_job(host) && slot < seats.count() && seats.host(slot) == host)
      add_seat(fault, slot, state);
  });
}

ClusterState Faults::cluster_state() const {
  ClusterState state;
  for (const FaultRef ref : on_job(Concern::slows)) add_seats(active_[ref], state);
  sort(state);
  return state;
}

/// How many times as long a step takes with this fault alone: where no host of its carries the job yet, as if the first did.
double Faults::times_as_long(const ActiveFault& fault) const {
  const Effect effect = kind_of(fault).effect;
  if (effect == Effect::stall) return kInfinity;
  if (effect != Effect::slow && effect != Effect::degrade) return 1;
  ClusterState alone;
  add_seats(fault, alone);
  sort(alone);
  if (alone.healthy()) add_seat(fault, 0, alone);
  if (alone.healthy()) return 1;
  return to_seconds(hosts_->size().pace(alone).step) / to_seconds(hosts_->size().healthy_step());
}

}  // namespace gauntlet
