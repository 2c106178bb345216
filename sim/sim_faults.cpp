// What goes wrong in the simulated cluster, and what it does to the job. What of it shows: sim_symptoms.cpp.
#include "sim/sim_cluster.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace gauntlet {
namespace {

bool sits_in_host(ComponentKind kind) {
  return kind == ComponentKind::host || kind == ComponentKind::gpu || kind == ComponentKind::nic;
}

void sort(ClusterState& state) {
  std::sort(state.slow.begin(), state.slow.end());
  std::sort(state.network.nics.begin(), state.network.nics.end());
}

}  // namespace

void SimCluster::log_truth(TruthKind what, const ActiveFault& fault) {
  const FaultKind& kind = kind_of(fault);
  const bool disturbs = kind.effect != Effect::none && !is_told(kind.effect);
  truth_.push_back({.at = engine_.now(),
                    .what = what,
                    .kind = fault.kind,
                    .component = fault.component,
                    .host = fault.hosts.first,
                    .hosts = fault.hosts.count,
                    .on_job = ActiveFaults::on_job(fault),
                    .stops = stops_job(kind.effect),
                    .disturbs = disturbs,
                    .corrupts = kind.effect == Effect::corrupt,
                    .repairable = kind.remedy == Remedy::repair,
                    .factor = what == TruthKind::ended ? 1 : times_as_long(fault),
                    .orders = orders_});
  engine_.fingerprint().add(static_cast<std::uint64_t>(what) << 48 | std::uint64_t{fault.kind.value} << 32 |
                            fault.component.index);
}

void SimCluster::on(const FaultDue& event) {
  const Strike due = arrivals_->take(event.clock);
  if (!strike(due) && !active_.has(due.kind, due.component,
                                   hosts_of(*world_, due.component))) {  // it met nobody, and goes on living
    const double now =
        event.clock == FaultClock::always ? to_seconds(engine_.now() - kStart) : training_clock();
    arrivals_->renew(due.kind, due.component.index, now);
  }
  schedule_faults(event.clock);
}

/// False where nobody was there to be struck, or the component has failed already.
bool SimCluster::strike(const Strike& strike) {
  const FaultKind& kind = world_->faults[strike.kind.value];
  const bool of_job = strike.component.kind == ComponentKind::job;
  const HostRange hosts = of_job ? HostRange{seats_.host(0), 1} : hosts_of(*world_, strike.component);
  // A Poisson process and a trace also name components that are off, not at work, or have failed already.
  const bool exposed = of_job || any_host(hosts, [&](HostId host) {
                         return kind.clock == FaultClock::always ? powered(host) : in_job(host);
                       });
  if (!exposed || active_.has(strike.kind, strike.component, hosts)) return false;

  std::uint32_t job_hosts = 0;
  any_host(hosts, [&](HostId host) {
    job_hosts += in_job(host) ? 1 : 0;
    return false;
  });
  ActiveFault& fault = active_.add({.kind = strike.kind,
                                    .component = strike.component,
                                    .hosts = hosts,
                                    .heal = {},
                                    .grow = {},
                                    .line = {},
                                    .factor = kind.factor,
                                    .struck = engine_.now(),
                                    .job_hosts = job_hosts});
  fault.met_job = ActiveFaults::on_job(fault);
  Duration lasts = kForever;
  if (kind.heals_after) {
    Stream draws = draws_of(heal_names_[fault.kind.value], fault.component.index);
    lasts = from_seconds(kind.heals_after->sample(draws));
    fault.heals = after(engine_.now(), lasts);
    fault.heal = engine_.after(lasts, Priority::world, FaultHeals{fault.ref});
  } else {
    follow(kind, fault.component);
  }
  log_truth(TruthKind::onset, fault);
  if (is_told(kind.effect)) {
    told_to_stop(lasts, kind.effect == Effect::preempt);
    end_fault(fault.ref);
    return true;
  }
  if (kind.grows_every > Duration::zero())
    fault.grow = engine_.after(kind.grows_every, Priority::world, FaultGrows{fault.ref});
  if (kind.symptoms.heartbeat_lost) {
    any_host(hosts, [this](HostId host) {
      heartbeats_->silence(host);
      return false;
    });
  }
  lose_memory(fault);
  show_symptoms(fault);
  if (fault.met_job) meet_job(fault);
  return true;
}

void SimCluster::follow(const FaultKind& kind, ComponentId component) {
  if (!kind.followed_by) return;
  const FollowedBy& next = *kind.followed_by;
  Stream draws =
      draws_of(follow_names_[static_cast<std::size_t>(&kind - world_->faults.data())], component.index);
  if (draws.uniform() >= next.probability.value) return;
  engine_.after(from_seconds(next.after.sample(draws)), Priority::fault,
                FaultFollows{next.kind, component, repairs_of(component)});
}

/// How often the host that a component belongs to has been repaired: what led to a fault before is gone with that.
std::uint32_t SimCluster::repairs_of(ComponentId component) const {
  const ComponentKind kind = component.kind;
  if (!sits_in_host(kind)) return 0;
  return repairs_[hosts_of(*world_, component).first.value];
}

void SimCluster::on(const FaultFollows& event) {
  if (event.repairs == repairs_of(event.component)) strike({event.kind, event.component});
}

void SimCluster::on(const FaultGrows& event) {
  ActiveFault* found = active_.find(event.fault);
  if (found == nullptr) return;
  constexpr double kStandstill = 1e3;  // beyond it no step would complete in any window
  if (found->factor * kind_of(*found).factor > kStandstill) return;
  found->factor *= kind_of(*found).factor;
  found->grow = engine_.after(kind_of(*found).grows_every, Priority::world, FaultGrows{event.fault});
  log_truth(TruthKind::grew, *found);
  update_pace();
}

void SimCluster::meet_job(ActiveFault& fault) {
  const FaultKind& kind = kind_of(fault);
  if (kind.symptoms.loss != 0) loss_changes();
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
      if (gang_.state() == Gang::State::training) pause_training(fault.kind, fault.heals);
      if (kind.halts_storage && gang_.state() == Gang::State::paused) storage_fails();
      if (kind.halts_storage) hold_load_until(fault.heals);
      break;
    case Effect::corrupt:
    case Effect::none:
    case Effect::planned:
    case Effect::preempt:
      break;
  }
}

/// What was drawn for the stop before is kept with the fault that brought it, which may return.
void SimCluster::stop_is(Time by, DrawsOfStop draws) {
  if (stopped_.by == by) return;
  for (const FaultRef before : active_.struck_at(stopped_.by)) active_[before].stop = stopped_.draws;
  stopped_ = {.by = by, .draws = draws};
}

void SimCluster::told_to_stop(Duration hold, bool preempted) {
  stop_is(engine_.now(), {});
  out_.push(engine_.now(), Told{JobId{0}, hold, preempted});
}

void SimCluster::stop_job(ActiveFault& fault) {
  if (ranks_ == RanksState::none) return;  // it waits for the next start
  if (ranks_ != RanksState::stuck) stop_is(fault.struck, fault.stop);
  const FaultKind& kind = kind_of(fault);
  const bool exits = kind.effect == Effect::crash;
  Time heard = kNever;
  if (exits && !kind.symptoms.heartbeat_lost) {
    any_host(fault.hosts, [&](HostId host) {
      if (!in_job(host)) return false;
      heartbeats_->rank_exited(host, kind.symptoms.exit_code);
      if (ranks_ == RanksState::starting) heard = std::min(heard, heartbeats_->exit_report_time(host));
      return false;
    });
  }
  if (ranks_ == RanksState::starting) {
    // The launcher learns of it as any driver would: by the exit that a heartbeat carries, or by the timeout.
    OpenOrder* starting = find_open<Start>();
    const Time fails = std::min(heard, after(engine_.now(), collective_timeout_));
    engine_.cancel(starting->due);  // it does not come through
    engine_.at(fails, Priority::timer, StartFails{starting->order.id});
    ranks_ = RanksState::stuck;
    if (!engine_.pending(start_notice_)) start_notice_ = notice();
    return;
  }
  if (ranks_ == RanksState::stuck) return;
  if (gang_.state() == Gang::State::training) fault.step = gang_.steps_at(engine_.now());
  cut_training();
  stand_still();
  engine_.hold(collective_timer_);
  const Duration until_abort = exits ? world_->telemetry.abort_hop : collective_timeout_;
  victims_begin(exits ? kPeerLost : kCollectiveTimeout, after(engine_.now(), until_abort));
}

/// A person sees by himself that the job does not train.
Timer SimCluster::notice() {
  static constexpr StreamName kNotice = stream_name("person.notice");
  Stream draws = stream_now(seed_, kNotice, stopped_.by, stopped_.draws.noticed++);
  return engine_.after(from_seconds(world_->people.notice.sample(draws)), Priority::world, NoticeDue{});
}

/// Ranks are up, nothing moves, and it does not heal.
void SimCluster::stand_still() {
  ranks_ = RanksState::stuck;
  after_change();
  engine_.cancel(notice_);
  notice_ = notice();
}

/// Ranks wait so long for a culprit, though not for an evaluation.
void SimCluster::expect_collective_timeout() {
  const Time gives_up = std::max(after(gang_.paused_since(), collective_timeout_), engine_.now());
  if (gang_.evaluates() || gang_.heals_by(gives_up)) return;
  engine_.set(collective_timer_, gives_up, Priority::timer, CollectiveTimeout{});
}

SimCluster::Stalls SimCluster::stalls() const {
  Stalls found;
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (kind_of(fault).effect != Effect::stall) continue;
    if (found.first == nullptr) found.first = &fault;
    found.until = std::max(found.until, fault.heals);
  }
  return found;
}

void SimCluster::on(const CollectiveTimeout&) {
  if (gang_.state() != Gang::State::paused) return;
  const ActiveFault* pausing = stalls().first;
  ensure(pausing != nullptr, "a fault holds a paused gang");
  log_truth(TruthKind::escalated, *pausing);
  stop_is(pausing->struck, pausing->stop);
  cut_training();
  stand_still();
  victims_begin(kCollectiveTimeout, engine_.now());
}

// --- how faults end --------------------------------------------------------------------------------------------------

void SimCluster::end_fault(FaultRef ref) {
  ActiveFault fault = active_[ref];
  active_.erase(ref);
  engine_.cancel(fault.heal);
  engine_.cancel(fault.grow);
  engine_.cancel(fault.line);
  log_truth(TruthKind::ended, fault);
  const FaultKind& kind = kind_of(fault);
  if (kind.symptoms.heartbeat_lost && !is_told(kind.effect)) {
    any_host(fault.hosts, [this](HostId host) {
      heartbeats_->unsilence(host);
      return false;
    });
  }
  if (kind.symptoms.loss != 0) loss_changes();
  if (kind.clock == FaultClock::start) return;
  const double now = kind.clock == FaultClock::always ? to_seconds(engine_.now() - kStart) : training_clock();
  const bool renewed = arrivals_->renew(fault.kind, fault.component.index, now);
  // By the clock of training, the next fault is reckoned from now: that may move it by a nanosecond.
  if (renewed || kind.clock == FaultClock::training) schedule_faults(kind.clock);
}

void SimCluster::on(const FaultHeals& event) {
  ActiveFault* found = active_.find(event.fault);
  if (found == nullptr) return;
  found->line = {};  // whoever writes of it is still there
  const ActiveFault fault = *found;
  end_fault(event.fault);
  const FaultKind& kind = kind_of(fault);
  follow(kind, fault.component);
  resume_unless_paused();
  if (kind.effect == Effect::slow || kind.effect == Effect::degrade) update_pace();
}

void SimCluster::resume_unless_paused() {
  if (gang_.state() != Gang::State::paused) return;
  if (!storage_is_out()) storage_answers();
  if (evaluating_) return;
  before_change();
  if (const Stalls held = stalls(); held.first != nullptr) {
    gang_.pause_lasts(held.until);
    return pause_changes();
  }
  engine_.hold(collective_timer_);
  gang_.resume(engine_.now());
  delay_checkpoints(engine_.now() - paused_at_);
  after_change();
  training_runs();
}

/// The repair of a host; a failure domain is mended elsewhere.
void SimCluster::end_faults_of(HostId host) {
  const std::span<const FaultRef> faults = active_.of(host);
  for (auto ref = faults.rbegin(); ref != faults.rend(); ++ref)
    if (sits_in_host(active_[*ref].component.kind)) end_fault(*ref);
}

/// A repair that did not help, though it is said to be done. Where repair cures lemons, what failed is over, and the lemon
/// remains; any other fault is still there.
void SimCluster::end_faults_in_vain(HostId host) {
  const std::span<const FaultRef> faults = active_.of(host);
  for (auto ref = faults.rbegin(); ref != faults.rend(); ++ref) {
    const ActiveFault& fault = active_[*ref];
    if (sits_in_host(fault.component.kind) && kind_of(fault).profile.lemons.cured) end_fault(*ref);
  }
}

void SimCluster::end_faults_that_restart_removes() {
  const std::vector<FaultRef>& cured = active_.on_job(Concern::restart);
  while (!cured.empty()) end_fault(cured.back());
}

void SimCluster::return_faults(Returning which) {
  active_.move_job_faults(seats_.host(0));
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    ActiveFault& fault = active_[ref];
    const FaultKind& kind = kind_of(fault);
    if ((kind.clock == FaultClock::start) != (which == Returning::at_start)) continue;
    if (kind.same_step && fault.step >= 0) continue;  // wait_for_same_step
    if (stops_job(kind.effect)) {
      log_truth(std::exchange(fault.met_job, true) ? TruthKind::returned : TruthKind::met, fault);
      lose_memory(fault);
      show_symptoms(fault);
    }
    meet_job(fault);
  }
}

void SimCluster::wait_for_same_step() {
  if (gang_.state() != Gang::State::training) return engine_.hold(same_step_);
  Time at = kNever;
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    const ActiveFault& fault = active_[ref];
    if (!kind_of(fault).same_step || fault.step < 0) continue;
    const std::int64_t step = std::max(fault.step, gang_.stretch().first_step);
    at = std::min(at, gang_.time_of_step(step) + gang_.stretch().step / 2);
  }
  engine_.set(same_step_, std::max(at, engine_.now()), Priority::fault, FaultReturns{});
}

void SimCluster::on(const FaultReturns&) {
  active_.move_job_faults(seats_.host(0));
  for (const FaultRef ref : active_.on_job(Concern::holds)) {
    ActiveFault& fault = active_[ref];
    if (!kind_of(fault).same_step || fault.step < 0) continue;
    if (gang_.steps_at(engine_.now()) < fault.step) continue;
    log_truth(TruthKind::returned, fault);
    show_symptoms(fault);
    return stop_job(fault);
  }
  wait_for_same_step();  // a checkpoint came between
}

// --- what is slow ----------------------------------------------------------------------------------------------------

/// What it slows on a host in that slot.
void SimCluster::add_seat(const ActiveFault& fault, std::uint32_t slot, ClusterState& state) const {
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
void SimCluster::add_seats(const ActiveFault& fault, ClusterState& state) const {
  const Effect effect = kind_of(fault).effect;
  if (effect != Effect::slow && effect != Effect::degrade) return;
  any_host(fault.hosts, [&](HostId host) {
    const std::uint32_t slot = seats_.slot_of(host);
    if (in_job(host) && slot < seats_.count() && seats_.host(slot) == host) add_seat(fault, slot, state);
    return false;
  });
}

ClusterState SimCluster::cluster_state() const {
  ClusterState state;
  for (const FaultRef ref : active_.on_job(Concern::slows)) add_seats(active_[ref], state);
  sort(state);
  return state;
}

/// How many times as long a step takes with this fault alone: where no host of its carries the job yet, as if the first did.
double SimCluster::times_as_long(const ActiveFault& fault) const {
  const Effect effect = kind_of(fault).effect;
  if (effect == Effect::stall) return std::numeric_limits<double>::infinity();
  if (effect != Effect::slow && effect != Effect::degrade) return 1;
  ClusterState alone;
  add_seats(fault, alone);
  sort(alone);
  if (alone.healthy()) add_seat(fault, 0, alone);
  if (alone.healthy()) return 1;
  return to_seconds(size_->pace(alone).step) / to_seconds(size_->healthy_step());
}

}  // namespace gauntlet
