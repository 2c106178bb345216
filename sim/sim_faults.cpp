// How a fault passes through the parts of the cluster: it strikes, shows, acts on the job, and ends.
#include "core/saturating.hpp"
#include "sim/sim_cluster.hpp"

#include <algorithm>

namespace gauntlet {

// --- how it begins ---------------------------------------------------------------------------------------------------

void SimCluster::on(const FaultDue& event) {
  const Strike due = faults_.clocks().take(event.clock);
  lost_work_.struck(due, training_.gang().work_at_risk(engine_.now()));
  if (!strike(due)) faults_.missed(due, event.clock);
  faults_.clocks().schedule(event.clock);
}

void SimCluster::on(const FaultFollows& event) {
  if (const std::optional<Strike> next = faults_.on(event)) strike(*next);
}

void SimCluster::on(const FaultGrows& event) {
  if (faults_.on(event)) update_pace();
}

/// False where nobody was there to be struck, or the component has failed already.
bool SimCluster::strike(const Strike& strike) {
  const std::optional<Faults::Struck> struck = faults_.strike(strike);
  if (!struck) return false;
  ActiveFault& fault = faults_[struck->fault];
  const Effect effect = faults_.kind_of(fault).effect;
  if (is_stop_request(effect)) {
    tell_to_stop(struck->lasts, effect == Effect::preempt);
    end_fault(struck->fault);
    return true;
  }
  monitoring_.fault_began(fault);
  show(fault);
  if (fault.met_job) meet_job(fault);
  if (faults_.kind_of(fault).tampers == Tampering::checkpoint) damage_checkpoint(struck->fault);
  return true;
}

/// The checkpoint stays damaged, and the fault is over: the same kind may strike again at once.
void SimCluster::damage_checkpoint(FaultRef ref) {
  training_.damage_stored();
  faults_[ref].line = {};  // whoever writes of it is still there
  end_fault(ref);
}

/// What it does wherever it is. A host that is gone, or starts anew, has lost what was in its memory. One whose agent is
/// heard on has lost its processes alone.
void SimCluster::show(ActiveFault& fault) {
  const FaultKind& kind = faults_.kind_of(fault);
  const ComponentKind where = fault.component.kind;
  const bool unpowered = where == ComponentKind::rack || where == ComponentKind::power;
  if (kind.symptoms.heartbeat_lost || (kind.effect == Effect::crash && unpowered))
    checkpoints_.lose_memory(fault.hosts);
  monitoring_.log_fault(fault);
}

// --- what it does to the job -----------------------------------------------------------------------------------------

void SimCluster::meet_job(ActiveFault& fault) {
  const FaultKind& kind = faults_.kind_of(fault);
  if (kind.symptoms.loss != 0) monitoring_.loss_is(faults_.loss());
  switch (kind.effect) {
    case Effect::crash:
    case Effect::hang:
      stop_job(fault);
      break;
    case Effect::slow:
    case Effect::degrade:
      update_pace();
      break;
    case Effect::stall:
      stall_job(fault);
      break;
    case Effect::corrupt:
    case Effect::none:
    case Effect::planned:
    case Effect::preempt:
      break;
  }
}

void SimCluster::stall_job(const ActiveFault& fault) {
  if (training_.runs()) pause_training(fault.kind, fault.heals);
  if (!faults_.kind_of(fault).halts_storage) return;
  if (training_.paused()) {
    training_.storage_fails();
    checkpoints_.storage_fails();
  }
  hold_load_until(fault.heals);
}

void SimCluster::stop_job(ActiveFault& fault) {
  const TrainingJob::Ranks ranks = training_.ranks();
  if (ranks == TrainingJob::Ranks::none) return;  // it waits for the next start
  if (ranks != TrainingJob::Ranks::stuck) faults_.stop_is(fault);
  const FaultKind& kind = faults_.kind_of(fault);
  const bool exits = kind.effect == Effect::crash;
  if (exits && !kind.symptoms.heartbeat_lost) monitoring_.ranks_exit(fault.hosts, kind.symptoms.exit_code);
  if (ranks == TrainingJob::Ranks::starting) return fail_start(fault);
  if (ranks == TrainingJob::Ranks::stuck) return;
  if (training_.runs()) fault.step = training_.gang().steps_at(engine_.now());
  cut_training();
  if (exits) return stand_still(kPeerLost, after(engine_.now(), world_->telemetry.abort_hop));
  stand_still(kCollectiveTimeout, training_.collective_timeout());
}

/// The launcher learns of it as any driver would: by the exit that a heartbeat carries, or by the timeout.
void SimCluster::fail_start(const ActiveFault& fault) {
  const FaultKind& kind = faults_.kind_of(fault);
  const bool exits = kind.effect == Effect::crash && !kind.symptoms.heartbeat_lost;
  const Time heard = exits ? monitoring_.exit_heard(fault.hosts) : kNever;
  orders_.fail_at(orders_.first<Start>()->order.id, std::min(heard, training_.collective_timeout()));
  training_.stick();
  people_.job_does_not_start(faults_.stop());
}

/// Ranks are up, nothing moves, and it does not heal. Those that wait abort from then on.
void SimCluster::stand_still(PatternId line, Time first_abort) {
  training_.stick();
  monitoring_.after_change();
  people_.job_stands_still(faults_.stop());
  monitoring_.victims_begin(faults_.culprit_slots(), line, first_abort);
}

/// Ranks have waited for as long as they do: a pause becomes a stop.
void SimCluster::on(const CollectiveTimeout&) {
  if (!training_.paused()) return;
  const ActiveFault* pausing = faults_.stalls().first;
  ensure(pausing != nullptr, "a fault holds a paused gang");
  faults_.log_truth(TruthKind::escalated, *pausing);
  faults_.stop_is(*pausing);
  cut_training();
  stand_still(kCollectiveTimeout, engine_.now());
}

// --- how it strikes again --------------------------------------------------------------------------------------------

/// Those that are still there strike again: what goes wrong in starts at the start, the rest once the job trains.
void SimCluster::return_faults(Faults::Returning which) {
  faults_.move_job_faults();
  for (const FaultRef ref : faults_.on_job(Concern::holds)) {
    ActiveFault* fault = faults_.returns(ref, which);
    if (fault == nullptr) continue;
    if (stops_job(faults_.kind_of(*fault).effect)) show(*fault);
    meet_job(*fault);
  }
}

void SimCluster::on(const FaultReturns&) {
  faults_.move_job_faults();
  if (ActiveFault* fault = faults_.at_same_step(training_.gang())) {
    monitoring_.log_fault(*fault);
    return stop_job(*fault);
  }
  faults_.wait_for_same_step(training_.gang());  // a checkpoint came between
}

// --- how it ends -----------------------------------------------------------------------------------------------------

void SimCluster::end_fault(FaultRef ref) {
  const ActiveFault ended = faults_.end(ref);
  const FaultKind& kind = faults_.kind_of(ended);
  if (!is_stop_request(kind.effect)) monitoring_.fault_ended(ended);
  if (kind.symptoms.loss != 0) monitoring_.loss_is(faults_.loss());
}

void SimCluster::end_all(const std::vector<FaultRef>& faults) {
  for (const FaultRef ref : faults) end_fault(ref);
}

void SimCluster::on(const FaultHeals& event) {
  ActiveFault* found = faults_.find(event.fault);
  if (found == nullptr) return;
  found->line = {};  // whoever writes of it is still there
  const ActiveFault healed = *found;
  const FaultKind& kind = faults_.kind_of(healed);
  end_fault(event.fault);
  faults_.follow_healed(healed);
  resume_unless_paused();
  if (kind.effect == Effect::slow || kind.effect == Effect::degrade) update_pace();
}

void SimCluster::on(const RepairDone& event) {
  if (const auto back = hosts_.on(event)) return_host(event.host, back->mended);
}

void SimCluster::return_host(HostId host, bool mended) {
  end_all(faults_.ended_by_repair(host, mended));
  if (mended) faults_.clocks().cure(host);
  faults_.host_on(host);
  out_.push(engine_.now(), HostReturned{host});
}

/// What a person who was asked does: what only a person can mend is mended, and a host that stops the job is named.
std::optional<HostId> SimCluster::deal_with_culprit() {
  const std::vector<FaultRef>& for_people = faults_.on_job(Concern::person);
  while (!for_people.empty()) end_fault(for_people.back());
  return faults_.culprit();
}

}  // namespace gauntlet
