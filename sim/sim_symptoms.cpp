// What shows of a fault: lines of the culprit and of its victims, the loss, who waits in what, and what a person sees.
#include "core/layout.hpp"
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <cmath>

namespace gauntlet {

/// Who writes the line may take its time. A restart or a repair that ends the fault before then ends the writer too, as a start
/// of the job does of a fault that strikes again and logs anew; what heals by itself is written of all the same.
void SimCluster::show_symptoms(ActiveFault& fault) {
  const Symptoms& symptoms = kind_of(fault).symptoms;
  if (!symptoms.log) return;
  engine_.cancel(fault.line);
  Stream draws = draws_of(symptom_names_[fault.kind.value], fault.component.index);
  if (symptoms.log_probability.value < 1 && draws.uniform() >= symptoms.log_probability.value) return;
  const Duration delay = from_seconds(symptoms.log_delay.sample(draws));
  HostId logs = fault.hosts.first;  // of a failure domain, the first that carries the job
  any_host(fault.hosts, [&](HostId host) {
    if (in_job(host)) logs = host;
    return in_job(host);
  });
  fault.line = engine_.after(delay, Priority::telemetry, LogLine{logs, *symptoms.log, symptoms.severity});
}

void SimCluster::on(const LogLine& event) { report_log(event.host, event.pattern, event.severity); }

void SimCluster::report_log(HostId host, PatternId pattern, Severity severity) {
  if (hosts_[host.value] == HostState::in_repair || hosts_[host.value] == HostState::returned) return;
  for (const LogWatch& watch : log_watches_) {
    if (watch.pattern != pattern) continue;
    if (watch.who.subset == Scope::Subset::one && watch.who.index != host.value) continue;
    if (watch.who.subset == Scope::Subset::job && !in_job(host)) continue;
    push_line(watch, host, severity, 0);
  }
}

void SimCluster::push_line(const LogWatch& watch, HostId host, Severity severity, std::uint32_t more) {
  Seen& seen = reports_->send(host, engine_.now());
  seen.watch = watch.id;
  seen.edge = Edge::sample;
  seen.value = static_cast<double>(severity);
  seen.more = more;
}

// --- victims ---------------------------------------------------------------------------------------------------------

std::vector<std::uint32_t> SimCluster::culprit_slots() const {
  std::vector<std::uint32_t> slots;
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (slots.empty()) slots.reserve(fault.hosts.count);
    if (fault.component.kind == ComponentKind::job) {
      slots.push_back(0);
      continue;
    }
    any_host(fault.hosts, [&](HostId host) {
      if (in_job(host)) slots.push_back(seats_.slot_of(host));
      return false;
    });
  }
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  return slots;
}

void SimCluster::victims_begin(PatternId line, Time first) {
  for (LogWatch& watch : log_watches_) {
    watch.told = watch.held = 0;
    watch.held_back.reset();
  }
  victims_->begin(culprit_slots(), line, first);
}

void SimCluster::on(const AbortWave& event) {
  const bool more = victims_->on(event);
  victims_log(event.hops, !more);
  heartbeats_->ranks_aborted();
  if (!more) heartbeats_->all_aborted(victims_->count());
}

/// Every rank that aborts logs why; the culprits do not. Only the first few of a watch are listed, the others counted.
void SimCluster::victims_log(std::uint32_t hops, bool last) {
  const std::vector<SlotRange> waves = victims_->slots_at(hops);
  const std::vector<std::uint32_t>& culprits = victims_->culprits();
  for (LogWatch& watch : log_watches_) {
    if (watch.pattern != victims_->line()) continue;
    SlotRange scope{0, seats_.count()};
    if (watch.who.subset == Scope::Subset::stage) scope = seats_.slots_of_stage(watch.who.stage);
    if (watch.who.subset == Scope::Subset::one) {
      const std::uint32_t slot = seats_.slot_of(HostId{watch.who.index});
      const bool seated = slot < seats_.count() && seats_.host(slot) == HostId{watch.who.index};
      scope = seated ? SlotRange{slot, slot + 1} : SlotRange{0, 0};
    }
    for (const SlotRange& wave : waves) {
      std::uint32_t slot = std::max(wave.begin, scope.begin);
      const std::uint32_t end = std::min(wave.end, scope.end);
      for (; slot < end && watch.told < watch.first; ++slot) {
        if (victims_->is_culprit(slot)) continue;
        ++watch.told;
        push_line(watch, seats_.host(slot), Severity::error, 0);
      }
      if (slot >= end) continue;
      const auto among = std::lower_bound(culprits.begin(), culprits.end(), end) -
                         std::lower_bound(culprits.begin(), culprits.end(), slot);
      const std::uint32_t held = end - slot - static_cast<std::uint32_t>(among);
      if (held == 0) continue;
      while (!watch.held_back) {
        if (!victims_->is_culprit(slot)) watch.held_back = seats_.host(slot);
        ++slot;
      }
      watch.held += held;
    }
    if (last && watch.held > 0) push_line(watch, *watch.held_back, Severity::error, watch.held - 1);
  }
}

/// Who is asked while the job stands still answers in which collective it waits; who holds the others up does not.
void SimCluster::tell_last_collectives(const Watch& watch) {
  const bool still = ranks_ == RanksState::stuck || gang_.state() == Gang::State::paused;
  const std::vector<std::uint32_t> culprits = culprit_slots();
  if (!still || culprits.empty()) return;
  for (std::uint32_t slot = 0; slot < seats_.count(); ++slot) {
    const HostId host = seats_.host(slot);
    const Scope& who = watch.who;
    if (who.subset == Scope::Subset::one && who.index != host.value) continue;
    if (who.subset == Scope::Subset::stage && who.stage != seats_.stage_of(slot)) continue;
    if (std::binary_search(culprits.begin(), culprits.end(), slot) || !heartbeats_->audible(host)) continue;
    const Dimension waits = seats_.waits_in(culprits.front(), slot);
    Seen& seen = reports_->send(host, engine_.now());
    seen.watch = watch.id;
    seen.edge = Edge::sample;
    seen.value = static_cast<double>(waits);
  }
}

// --- the rest --------------------------------------------------------------------------------------------------------

/// The loss as the worst of the faults on the job moves it.
double SimCluster::loss() const {
  double worst = 0;
  for (const FaultRef ref : active_.on_job(Concern::loss)) {
    const double moved = kind_of(active_[ref]).symptoms.loss;
    if (std::isnan(moved)) return moved;
    worst = std::max(worst, moved);
  }
  return worst;
}

void SimCluster::loss_changes() {
  before_change();
  signals_->loss_is(loss());
  after_change();
}

void SimCluster::on(const NoticeDue&) { out_.push(engine_.now(), Noticed{JobId{0}}); }

}  // namespace gauntlet
