// What goes wrong: what strikes, what it does to the job, what ends it.
#include "core/contract.hpp"
#include "tests/reference/reference_cluster.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace gauntlet::reference {
namespace {

bool is_domain(ComponentKind kind) {
  return kind == ComponentKind::rack || kind == ComponentKind::tor || kind == ComponentKind::aggregation ||
         kind == ComponentKind::spine || kind == ComponentKind::power;
}

}  // namespace

/// A fault of the job itself is on it, whoever carries it; any other where one of its hosts does
/// (models/world/blast_radius.hpp).
bool ReferenceCluster::on_job(const Fault& fault) const {
  if (fault.component.kind == ComponentKind::job) return true;
  for (std::uint32_t i = 0; i < fault.hosts.count; ++i)
    if (in_job(HostId{fault.hosts.first.value + i})) return true;
  return false;
}

bool ReferenceCluster::sits_in_host(const Fault& fault) {
  return fault.component.kind != ComponentKind::job && !is_domain(fault.component.kind);
}

/// Remedy::repair: "only when the host went through repair"; "the repair of a host does not mend a failure domain"
/// (config/fields/fault_checks.cpp), nor the job.
bool ReferenceCluster::cured_by_repair(const Fault& fault) const {
  return kind(fault).remedy == Remedy::repair && sits_in_host(fault);
}

/// What of the job's hosts is slower than it should, with these faults alone.
ClusterState ReferenceCluster::state_with(const std::vector<const Fault*>& faults) const {
  ClusterState state;
  std::map<std::pair<std::uint32_t, std::uint32_t>, SlowSegments> slow;
  for (const Fault* fault : faults) {
    const FaultKind& what = kind(*fault);
    if (what.effect == Effect::degrade) add_slow_nics(*fault, state);
    if (what.effect != Effect::slow) continue;
    for (std::uint32_t slot = 0; slot < seats_.size(); ++slot) {
      if (!seats_[slot] || !fault->hosts.contains(*seats_[slot])) continue;
      const std::uint32_t gpu = fault->component.kind == ComponentKind::gpu
                                    ? fault->component.index % world_->inventory.gpus_per_host
                                    : kWholeHost;
      SlowSegments& seat = slow[{slot, gpu}];
      seat = slowest(seat, slow_in(what.segment, fault->factor));
    }
  }
  for (const auto& [seat, segments] : slow) state.slow.push_back({seat.first, seat.second, segments});
  return state;
}

/// "degrade: bandwidth divided by it" (key factor): of a NIC, or of all NICs of the hosts that the component concerns.
std::uint32_t ReferenceCluster::nic_of(const Fault& fault) const {
  return fault.component.kind == ComponentKind::nic ? fault.component.index % world_->hardware.nics_per_host
                                                    : kAllNics;
}

void ReferenceCluster::add_slow_nics(const Fault& fault, ClusterState& state) const {
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot)
    if (seats_[slot] && fault.hosts.contains(*seats_[slot]))
      state.network.nics.push_back({slot, nic_of(fault), fault.factor});
  std::sort(state.network.nics.begin(), state.network.nics.end());
}

/// Truth::factor: "how many times as long a step takes with it alone; infinite for a pause" (core/record/truth.hpp). "of a host
/// that does not carry the job yet, as if the first slot's did" (docs/decisions.md, 2026-11-22, "What is slow is ranked").
double ReferenceCluster::times_as_long(const Fault& fault) const {
  const FaultKind& what = kind(fault);
  if (what.effect == Effect::stall) return std::numeric_limits<double>::infinity();
  if (what.effect != Effect::slow && what.effect != Effect::degrade) return 1;
  ClusterState state = state_with({&fault});
  if (state.healthy() && what.effect == Effect::degrade) {
    state.network.nics.push_back({0, nic_of(fault), fault.factor});
  } else if (state.healthy()) {
    const std::uint32_t gpu = fault.component.kind == ComponentKind::gpu
                                  ? fault.component.index % world_->inventory.gpus_per_host
                                  : kWholeHost;
    state.slow.push_back({0, gpu, slow_in(what.segment, fault.factor)});
  }
  return to_seconds(steps_.time(state)) / to_seconds(steps_.healthy());
}

void ReferenceCluster::log_truth(TruthKind what, const Fault& fault) {
  const FaultKind& of = kind(fault);
  Truth truth;
  truth.at = agenda_.now();
  truth.what = what;
  truth.kind = fault.kind;
  truth.component = fault.component;
  truth.host = fault.hosts.first;
  truth.hosts = fault.hosts.count;
  truth.on_job = on_job(fault);
  truth.stops = stops_job(of.effect);
  truth.disturbs = of.effect != Effect::none && !is_stop_request(of.effect);
  truth.corrupts = of.effect == Effect::corrupt;
  truth.repairable = of.remedy == Remedy::repair;
  truth.factor = what == TruthKind::ended ? 1 : times_as_long(fault);
  truth.orders = orders_;
  truth_.push_back(truth);
}

// --- what strikes ----------------------------------------------------------------------------------------------------

/// A trace says itself when a component fails (key faults.*.trace), and what surely follows another fault at a fixed time needs
/// no chance. All else is on the tape.
void ReferenceCluster::plan_strikes() {
  std::set<FaultKindId> known;
  for (std::uint32_t k = 0; k < world_->faults.size(); ++k) {
    const FaultKind& each = world_->faults[k];
    if (each.followed_by) known.insert(each.followed_by->kind);
    if (each.trace.empty() || each.clock != FaultClock::always) continue;
    known.insert(FaultKindId{k});
    for (const auto& [at, index] : each.trace) {
      const ComponentId component{each.component, index};
      agenda_.at(at, Rank::fault, [this, k, component] { strike(FaultKindId{k}, component); });
    }
  }
  for (std::uint32_t k = 0; k < world_->faults.size(); ++k)
    if (world_->faults[k].clock == FaultClock::start) known.insert(FaultKindId{k});
  for (const Tape::Onset& onset : tape_.onsets()) {
    if (known.contains(onset.kind)) continue;
    agenda_.at(onset.at, Rank::fault, [this, onset] { strike(onset.kind, onset.component); });
  }
}

/// "A host in repair is not powered" and nothing strikes it; the clock `training` runs for the job's hosts while it trains
/// alone (house plan, words: clock). A component that has the fault already does not get it twice (docs/decisions.md,
/// 2026-11-20, "Two kinds of populations").
void ReferenceCluster::strike(FaultKindId kind_id, ComponentId component) {
  const FaultKind& what = world_->faults[kind_id.value];
  Fault struck{.kind = kind_id,
               .component = component,
               .hosts = hosts_of(*world_, component),
               .struck = agenda_.now()};
  struck.factor = what.factor;
  if (component.kind == ComponentKind::job) struck.hosts = {first_host_, 1};
  bool exposed = component.kind == ComponentKind::job;
  for (std::uint32_t i = 0; i < struck.hosts.count; ++i)
    exposed = exposed || powered(HostId{struck.hosts.first.value + i});
  if (!exposed) return;
  if (what.clock == FaultClock::training && !(training() && on_job(struck))) return;
  if (what.clock == FaultClock::start && !on_job(struck)) return;
  for (const Fault& each : faults_)
    if (each.kind == kind_id && each.component == component) return;

  const Tape::Onset onset{agenda_.now(), kind_id, component};
  if (what.heals_after) {
    const auto over = tape_.over(onset);
    struck.heals = what.heals_after->name() == "constant"
                       ? after(agenda_.now(), from_seconds(what.heals_after->mean()))
                       : (over ? over->at : kNever);
  }
  struck.met = on_job(struck);
  faults_.push_back(struck);
  const FaultIt fault = std::prev(faults_.end());
  log_truth(TruthKind::onset, *fault);
  if (is_stop_request(
          what.effect)) {  // "an operator wants the job stopped for as long as it takes to heal" (models/fault/fault.hpp)
    observe(StopRequest{
        .job = {}, .hold = fault->heals - agenda_.now(), .preempted = what.effect == Effect::preempt});
    return end(fault, false);
  }
  fault->heal = agenda_.at(fault->heals, Rank::world, [this, fault, onset] {
    // What is over on the tape at this time may have been ended by an order that is still to come.
    const auto over = tape_.over(onset);
    const bool by_chance = kind(*fault).heals_after->name() != "constant";
    const HostId first = fault->hosts.first;
    const bool by_repair = host(first).place == Place::in_repair && sits_in_host(*fault) &&
                           tape_.back(first, host(first).repairs) == std::optional(agenda_.now());
    const Open* asked = find_open<Ask>();
    const bool by_person = kind(*fault).remedy == Remedy::person && asked != nullptr &&
                           std::get<Time>(asked->due) == agenda_.now();
    if (!by_chance || (over->orders == orders_ && !by_repair && !by_person)) end(fault, true);
  });
  if (what.effect == Effect::slow && what.grows_every > Duration::zero()) grow_later(fault);
  if (!what.heals_after) follow(*fault);
  show(fault);
  meet_job(fault);
  if (what.tampers != Tampering::checkpoint) return;
  damage_newest();
  fault->line = {};
  end(fault, false);
}

/// Key grows_every: "`factor` once more after each such time".
void ReferenceCluster::grow_later(FaultIt fault) {
  fault->grow = agenda_.after(kind(*fault).grows_every, Rank::world, [this, fault] {
    // Beyond a thousand times no step would complete in any window: there it stays.
    if (fault->factor * kind(*fault).factor > 1000) return;
    fault->factor *= kind(*fault).factor;
    log_truth(TruthKind::grew, *fault);
    grow_later(fault);
  });
}

/// Key followed_by: "what it leads to on the same component, from its end or else its onset on". A host that was repaired
/// meanwhile is as good as new: nothing follows there. One whose repair failed in silence is not. Where nothing tells whether
/// it did, as nothing was wrong with the host by then, the tape says whether the follower struck.
void ReferenceCluster::follow(const Fault& fault) {
  const auto& follower = kind(fault).followed_by;
  if (!follower || follower->probability.value == 0) return;
  const Time at = after(agenda_.now(), from_seconds(follower->after.mean()));
  const ComponentId component = fault.component;
  const FaultKindId next = follower->kind;
  const bool surely = follower->probability.value == 1;
  const HostId first = fault.hosts.first;
  const std::uint32_t mended = host(first).mended, perhaps = host(first).perhaps_mended;
  agenda_.at(at, Rank::fault, [this, at, component, next, surely, first, mended, perhaps] {
    const bool single = component.kind != ComponentKind::job && !is_domain(component.kind);
    if (single && host(first).mended != mended) return;
    const bool known = surely && !(single && host(first).perhaps_mended != perhaps);
    if (!known && !tape_.struck({at, next, component})) return;
    strike(next, component);
  });
}

/// What strikes when the job starts (FaultClock::start in models/fault/fault.hpp): the tape says which components.
void ReferenceCluster::faults_strike_at_start() {
  for (const Tape::Onset& onset : tape_.onsets())
    if (onset.at == agenda_.now() && onset.orders == orders_ &&
        world_->faults[onset.kind.value].clock == FaultClock::start)
      strike(onset.kind, onset.component);
}

// --- what it does to the job -----------------------------------------------------------------------------------------

void ReferenceCluster::meet_job(FaultIt fault) {
  if (!on_job(*fault)) return;
  const FaultKind& what = kind(*fault);
  switch (what.effect) {
    case Effect::crash:
    case Effect::hang:
      return stop_job(fault);
    case Effect::stall:
      if (training()) {
        pause(fault->kind);
        expect_collective_timeout();
      }
      if (what.halts_storage && ranks_ == Ranks::up) storage_halts();
      if (what.halts_storage) load_waits(fault->heals);
      return;
    default:
      return;
  }
}

std::vector<std::uint32_t> ReferenceCluster::slots_of(const Fault& fault) const {
  if (fault.component.kind == ComponentKind::job) return {0};
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < seats_.size(); ++slot)
    if (seats_[slot] && fault.hosts.contains(*seats_[slot])) slots.push_back(slot);
  return slots;
}

/// A rank that is gone, or hangs: nobody gets any further (house plan, words: gang, symptom), and the step under way is lost.
/// The exit of a process shows wherever there are processes and an agent that can tell of it.
void ReferenceCluster::stop_job(FaultIt fault) {
  if (ranks_ == Ranks::none) return;
  const bool exits = kind(*fault).effect == Effect::crash;
  const std::vector<std::uint32_t> culprits = slots_of(*fault);
  if (exits && !kind(*fault).symptoms.heartbeat_lost)
    for (std::uint32_t i = 0; i < fault->hosts.count; ++i)
      if (const HostId id{fault->hosts.first.value + i}; in_job(id))
        rank_exits(id, kind(*fault).symptoms.exit_code);
  if (ranks_ == Ranks::starting) return start_will_fail(*fault);
  if (ranks_ == Ranks::stuck) return;
  fault->step = step_;
  cut_training();
  stands_still();
  // Ranks whose peer is gone abort one hop later; those whose peer hangs when the collective timeout is over
  // (docs/decisions.md, 2026-11-22, "A fault shows on everybody"; key detection.collective_timeout).
  victims(exits ? kPeerLost : kCollectiveTimeout,
          after(agenda_.now(), exits ? world_->telemetry.abort_hop : started_as_.collective_timeout));
}

/// A pause that lasts longer than the collective timeout has become a stop (TruthKind::escalated).
void ReferenceCluster::expect_collective_timeout() {
  agenda_.cancel(collective_timeout_);
  const Duration patience = started_as_.collective_timeout;
  if (evaluating_) return;
  collective_timeout_ = agenda_.after(patience, Rank::abort, [this] {
    for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
      if (kind(*fault).effect != Effect::stall || !on_job(*fault)) continue;
      log_truth(TruthKind::escalated, *fault);
      cut_training();
      stands_still();
      victims(kCollectiveTimeout, agenda_.now());
      return;
    }
  });
}

/// Faults that were there meet the job: for the first time (TruthKind::met), or once more (TruthKind::returned). What stops it
/// does what it did at its onset. What goes wrong in starts meets it at the start, the rest once it trains. A fault of the job
/// itself shows on the host that is in the first slot when the job starts.
void ReferenceCluster::faults_meet_job(FaultClock at) {
  for (Fault& fault : faults_)
    if (fault.component.kind == ComponentKind::job) fault.hosts = {first_host_, 1};
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    const bool in_starts = kind(*fault).clock == FaultClock::start;
    if (!on_job(*fault) || in_starts != (at == FaultClock::start)) continue;
    if (stops_job(kind(*fault).effect)) {
      log_truth(std::exchange(fault->met, true) ? TruthKind::returned : TruthKind::met, *fault);
      show_again(fault);
    }
    meet_job(fault);
  }
}

// --- what ends it ----------------------------------------------------------------------------------------------------

/// A restart, a repair or a person takes the line with it that was not written yet; what heals by itself leaves its writer
/// alive (docs/decisions.md, 2026-11-23, "A restart ends whoever would have written the line").
void ReferenceCluster::end(FaultIt fault, bool healed) {
  log_truth(TruthKind::ended, *fault);
  agenda_.cancel(fault->heal);
  agenda_.cancel(fault->grow);
  if (!healed) agenda_.cancel(fault->line);
  if (kind(*fault).symptoms.heartbeat_lost) agent_is_back(*fault);
  if (holds_heartbeats(*fault)) heartbeats_are_let_go(*fault);
  const Fault ended = *fault;
  faults_.erase(fault);
  if (healed) follow(ended);
  if (kind(ended).effect == Effect::stall) resume_unless_paused();
}

/// Of several that end at once the newest is the first in the log.
void ReferenceCluster::end_faults(const std::function<bool(const Fault&)>& which) {
  for (auto fault = faults_.end(); fault != faults_.begin();) {
    const FaultIt each = std::prev(fault);
    if (which(*each)) {
      end(each, false);
    } else {
      fault = each;
    }
  }
}

void ReferenceCluster::end_faults_cured_by_restart() {
  end_faults([this](const Fault& fault) { return kind(fault).remedy == Remedy::restart && on_job(fault); });
}

const Fault* ReferenceCluster::first_stall() const {
  for (const Fault& each : faults_)
    if (kind(each).effect == Effect::stall && on_job(each)) return &each;
  return nullptr;
}

/// A pause lasts as long as any of its stalls.
void ReferenceCluster::resume_unless_paused() {
  if (ranks_ != Ranks::up || !paused_) return;
  bool halted = false;
  for (const Fault& each : faults_) halted = halted || (kind(each).halts_storage && on_job(each));
  if (storage_halted_ && !halted) storage_answers();
  if (evaluating_) return;
  if (first_stall() != nullptr) return;
  agenda_.cancel(collective_timeout_);
  go_on();
}

}  // namespace gauntlet::reference
