// What goes wrong in the simulated cluster, what it does to the job, and what of it shows.
#include "core/filter.hpp"
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gauntlet {

void SimCluster::log_truth(TruthKind what, const ActiveFault& fault) {
  const FaultKind& kind = kind_of(fault);
  truth_.push_back(
      {.at = engine_.now(),
       .what = what,
       .kind = fault.kind,
       .component = fault.component,
       .host = fault.host,
       .on_job = in_job(fault.host),
       .stops = stops_job(kind.effect),
       .disturbs = kind.effect != Effect::none,
       .corrupts = kind.effect == Effect::corrupt,
       .factor = kind.effect == Effect::stall ? std::numeric_limits<double>::infinity() : kind.factor,
       .repairable = kind.remedy == Remedy::repair});
  engine_.fingerprint().add(static_cast<std::uint64_t>(what) << 48 | std::uint64_t{fault.kind.value} << 32 |
                            fault.component.index);
}

bool SimCluster::active(FaultKindId kind, ComponentId component) const {
  return std::any_of(active_.begin(), active_.end(), [&](const ActiveFault& fault) {
    return fault.kind == kind && fault.component == component;
  });
}

void SimCluster::on(const FaultDue& event) {
  const Strike due = arrivals_->take(event.clock);
  strike(due);
  schedule_faults(event.clock);
}

void SimCluster::strike(const Strike& strike) {
  const FaultKind& kind = world_->faults[strike.kind.value];
  const HostId host = host_of(*world_, strike.component);
  // A Poisson process and a trace also name components that are off, not at work, or have failed already.
  const bool exposed = kind.clock == FaultClock::always ? powered(host) : in_job(host);
  if (!exposed || active(strike.kind, strike.component)) return;

  active_.push_back({strike.kind, strike.component, host, ++faults_struck_, {}, in_job(host)});
  ActiveFault& fault = active_.back();
  if (kind.heals_after) {
    Stream draws = draws_of(heal_names_[fault.kind.value], fault.component.index);
    const Duration lasts = from_seconds(kind.heals_after->sample(draws));
    fault.heal = engine_.after(lasts, Priority::world, FaultHeals{fault.number});
  }
  log_truth(TruthKind::onset, fault);
  if (kind.symptoms.heartbeat_lost) heartbeats_->silence(host);
  show_symptoms(fault);
  if (in_job(host)) meet_job(fault);
}

/// A stream for what happens to one component now: keyed by the component and the time, so that neither other kinds nor
/// what a policy did before move its draws.
Stream SimCluster::draws_of(StreamName name, std::uint32_t component) const {
  const auto now = static_cast<std::uint64_t>((engine_.now() - kStart).count());
  return Stream(seed_, name, now * 0x9e3779b97f4a7c15ULL + component);
}

void SimCluster::show_symptoms(const ActiveFault& fault) {
  const Symptoms& symptoms = kind_of(fault).symptoms;
  if (!symptoms.log) return;
  Stream draws = draws_of(symptom_names_[fault.kind.value], fault.component.index);
  if (symptoms.log_probability.value < 1 && draws.uniform() >= symptoms.log_probability.value) return;
  const Duration delay = from_seconds(symptoms.log_delay.sample(draws));
  engine_.after(delay, Priority::telemetry, LogLine{fault.host, *symptoms.log});
}

void SimCluster::meet_job(const ActiveFault& fault) {
  switch (kind_of(fault).effect) {
    case Effect::crash:
    case Effect::hang:
      stop_job(fault);
      break;
    case Effect::slow:
    case Effect::degrade:
      update_pace();
      break;
    case Effect::stall:
      if (gang_.state() == Gang::State::training) {
        signals_->before_change();
        training_halts();
        gang_.pause(engine_.now(), fault.kind);
        for (OpenOrder& each : open_) {
          if (each.stall_ends != kNever && each.stall_ends > engine_.now()) engine_.cancel(each.due);
        }
        schedule_faults(FaultClock::training);
        signals_->after_change();
        collective_timer_ = engine_.after(collective_timeout_, Priority::timer, CollectiveTimeout{});
      }
      break;
    case Effect::corrupt:
    case Effect::none:
      break;
  }
}

void SimCluster::stop_job(const ActiveFault& fault) {
  if (ranks_ == RanksState::none) return;  // it waits for the next start
  const FaultKind& kind = kind_of(fault);
  const bool exits = kind.effect == Effect::crash;
  if (exits && !kind.symptoms.heartbeat_lost) heartbeats_->rank_exited(fault.host);
  if (ranks_ == RanksState::starting) {
    // The launcher learns of it as any driver would: by the exit that the next heartbeat carries, or by the timeout.
    const OpenOrder* starting = find_open<Start>();
    const Time learns = exits ? heartbeats_->exit_report_time(fault.host) : kNever;
    const Time fails = std::min(learns, after(engine_.now(), collective_timeout_));
    engine_.at(fails, Priority::timer, StartFails{starting->order.id});
    ranks_ = RanksState::stuck;
    return;
  }
  if (ranks_ == RanksState::stuck) return;
  cut_training();
  ranks_ = RanksState::stuck;
  signals_->after_change();
  engine_.cancel(collective_timer_);
  collective_timer_ = engine_.after(collective_timeout_, Priority::timer, CollectiveTimeout{});
}

void SimCluster::on(const CollectiveTimeout&) {
  if (gang_.state() == Gang::State::paused) {
    const auto pausing = std::find_if(active_.begin(), active_.end(), [this](const ActiveFault& fault) {
      return kind_of(fault).effect == Effect::stall && in_job(fault.host);
    });
    ensure(pausing != active_.end(), "a fault holds a paused gang");
    log_truth(TruthKind::escalated, *pausing);
    cut_training();
    ranks_ = RanksState::stuck;
    signals_->after_change();
  }
  report_victims();
}

// --- how faults end --------------------------------------------------------------------------------------------------

void SimCluster::end_fault(std::size_t index) {
  ActiveFault fault = active_[index];
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(index));
  engine_.cancel(fault.heal);
  log_truth(TruthKind::ended, fault);
  if (kind_of(fault).symptoms.heartbeat_lost) heartbeats_->unsilence(fault.host);
  const FaultClock clock = kind_of(fault).clock;
  const double now = clock == FaultClock::always ? to_seconds(engine_.now() - kStart) : training_clock();
  arrivals_->renew(fault.kind, fault.component.index, now);
  schedule_faults(clock);
}

void SimCluster::on(const FaultHeals& event) {
  const auto found = std::find_if(active_.begin(), active_.end(),
                                  [&](const ActiveFault& fault) { return fault.number == event.fault; });
  if (found == active_.end()) return;
  end_fault(static_cast<std::size_t>(found - active_.begin()));
  resume_unless_paused();
  update_pace();
}

void SimCluster::resume_unless_paused() {
  if (gang_.state() != Gang::State::paused) return;
  const bool held = std::any_of(active_.begin(), active_.end(), [this](const ActiveFault& fault) {
    return kind_of(fault).effect == Effect::stall && in_job(fault.host);
  });
  if (held) return;
  engine_.cancel(collective_timer_);
  gang_.resume(engine_.now());
  delay_checkpoints(progress_.pauses.back().end - progress_.pauses.back().begin);
  signals_->after_change();
  training_runs();
}

void SimCluster::end_faults_of(HostId host) {
  for (std::size_t i = active_.size(); i-- > 0;) {
    if (active_[i].host == host) end_fault(i);
  }
}

void SimCluster::end_faults_that_restart_removes() {
  for (std::size_t i = active_.size(); i-- > 0;) {
    if (kind_of(active_[i]).remedy == Remedy::restart && in_job(active_[i].host)) end_fault(i);
  }
}

void SimCluster::return_faults() {
  for (std::size_t i = 0; i < active_.size(); ++i) {
    const ActiveFault fault = active_[i];
    if (!in_job(fault.host)) continue;
    const Effect effect = kind_of(fault).effect;
    if (stops_job(effect)) {
      log_truth(std::exchange(active_[i].met_job, true) ? TruthKind::returned : TruthKind::met, fault);
      show_symptoms(fault);
    }
    if (stops_job(effect) || effect == Effect::stall) meet_job(fault);
  }
}

// --- what shows ------------------------------------------------------------------------------------------------------

void SimCluster::on(const LogLine& event) { report_log(event.host, event.pattern); }

void SimCluster::report_log(HostId host, PatternId pattern) {
  if (hosts_[host.value] == HostState::in_repair || hosts_[host.value] == HostState::returned) return;
  for (const LogWatch& watch : log_watches_) {
    if (watch.pattern != pattern) continue;
    if (watch.who.subset == Scope::Subset::one && watch.who.index != host.value) continue;
    if (watch.who.subset == Scope::Subset::job && !in_job(host)) continue;
    push_line(watch, host, 0);
  }
}

void SimCluster::push_line(const LogWatch& watch, HostId host, std::uint32_t more) {
  const Time now = engine_.now();
  out_.push(now, Seen{.watch = watch.id,
                      .who = component(host),
                      .edge = Edge::sample,
                      .sensed = now,
                      .value = 0,
                      .more = more});
}

/// Every rank that waited logs the collective timeout; the culprits do not. All waited equally long, so that the lines
/// come at one time, in rank order, and only the first few of a watch need to be made.
void SimCluster::report_victims() {
  std::vector<HostId> culprits;
  for (const ActiveFault& fault : active_) {
    const Effect effect = kind_of(fault).effect;
    const bool holds_others = stops_job(effect) || effect == Effect::stall;
    if (!holds_others || !in_job(fault.host)) continue;
    if (std::find(culprits.begin(), culprits.end(), fault.host) == culprits.end())
      culprits.push_back(fault.host);
  }
  const auto waited = [&](HostId host) {
    return in_job(host) && std::find(culprits.begin(), culprits.end(), host) == culprits.end();
  };
  const auto victims = static_cast<std::uint32_t>(slots_.size() - culprits.size());
  for (const LogWatch& watch : log_watches_) {
    if (watch.pattern != kCollectiveTimeout) continue;
    if (watch.who.subset == Scope::Subset::one) {
      if (const HostId host{watch.who.index}; waited(host)) push_line(watch, host, 0);
      continue;
    }
    FirstMembers first(watch.first);
    std::uint32_t reported = 0;
    for (const HostId host : slots_) {
      if (!waited(host)) continue;
      if (!first.passes()) {
        push_line(watch, host, victims - reported - 1);  // this one and the rest of the burst
        break;
      }
      push_line(watch, host, 0);
      ++reported;
    }
  }
}

ClusterState SimCluster::cluster_state() const {
  ClusterState state;
  const auto part_of_host = [](ComponentId who, ComponentKind kind, std::uint32_t each, std::uint32_t whole) {
    return who.kind == kind ? who.index % each : whole;
  };
  for (const ActiveFault& fault : active_) {
    if (!in_job(fault.host)) continue;
    const FaultKind& kind = kind_of(fault);
    const std::uint32_t slot = slot_of_[fault.host.value];
    if (kind.effect == Effect::slow)
      state.slow.push_back(
          {slot,
           part_of_host(fault.component, ComponentKind::gpu, world_->hardware.gpus_per_host, kWholeHost),
           slow_in(kind.segment, kind.factor)});
    if (kind.effect == Effect::degrade)
      state.network.nics.push_back(
          {slot, part_of_host(fault.component, ComponentKind::nic, world_->hardware.nics_per_host, kAllNics),
           kind.factor});
  }
  std::sort(state.slow.begin(), state.slow.end());
  std::sort(state.network.nics.begin(), state.network.nics.end());
  return state;
}

}  // namespace gauntlet
