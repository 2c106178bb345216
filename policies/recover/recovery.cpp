#include "policies/recover/recovery.hpp"

#include "policies/diagnose/hang_localisation.hpp"

#include <algorithm>

namespace gauntlet {
namespace {

void add_once(std::vector<HostId>& hosts, HostId host) {
  if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
}

Trigger trigger_of(const Suspicion& suspicion) {
  if (suspicion.kind == SuspicionKind::degraded) return Trigger::degraded;
  if (suspicion.kind == SuspicionKind::restart) return Trigger::restart;
  return suspicion.host ? Trigger::named : Trigger::nobody;
}

}  // namespace

Recovery::Recovery(First first, Diagnoser diagnoser, Restore restore, JobId job,
                   const PolicyConstants& constants, Reports reports)
    : first_(first),
      diagnoser_(diagnoser),
      job_(job),
      constants_(&constants),
      reports_(reports),
      restore_(restore),
      examinations_(job, reports.probes),
      rollback_(constants.recovery),
      attempts_(constants.recovery) {}

// --- what happens to the job -------------------------------------------------------------------------------------------

bool Recovery::on(const Suspicion& suspicion, Time now, Seating& seating, Orders& out) {
  if (suspicion.host && !seating.in_job(*suspicion.host)) return false;
  if (outdated(suspicion)) {
    if (suspicion.host && suspicion.of_host) add_once(incident_.suspects, *suspicion.host);
    return false;
  }
  if (suspicion.wrong_since != kNever) rollback_.doubt(suspicion.back, suspicion.wrong_since);
  return meet(trigger_of(suspicion), suspicion.host, suspicion.wrong, now, seating, out);
}

/// A suspicion is outdated if its signal was sensed before the last start was ordered: the ranks of that time have
/// ended. The clock of the host may be wrong by up to `clock_error`. The signal counts as older only if it is older
/// with any such error.
///
/// Some older suspicions still count. Wrong numbers are in the checkpoints that were taken since, and the start may
/// have loaded one of these. A host that is named while the start is in progress is examined now. Once the job trains,
/// the start may have cured what a log line says of a host: the line stops nothing, and the host is examined first if
/// the job stops again.
bool Recovery::outdated(const Suspicion& suspicion) const {
  if (suspicion.sensed >= started_at_ - constants_->detection.clock_error) return false;
  if (!rollback_.shed(suspicion.wrong_since)) return false;
  return !suspicion.host || job_up();
}

bool Recovery::on(const Noticed&, Time now, Seating& seating, Orders& out) {
  return meet(Trigger::noticed, {}, false, now, seating, out);
}

/// Whether a host that is named by this trigger is examined before it is replaced.
bool Recovery::examines(Trigger trigger) const {
  if (trigger == Trigger::operated) return false;
  return trigger != Trigger::degraded || constants_->diagnosis.examine_degraded;
}

void Recovery::remember(Trigger trigger, std::optional<HostId> host) {
  if (host) add_once(examines(trigger) ? incident_.suspects : incident_.condemned, *host);
  treatment_.ask = treatment_.ask || trigger == Trigger::noticed;
}

/// Whether a restart is enough, without an examination. A restart cures a fault that comes once. A fault that comes
/// again in the same incident is examined.
bool Recovery::restart_will_do() {
  if (!incident_.suspects.empty() || incident_.tries >= std::max(1U, constants_->recovery.restarts_in_place))
    return false;
  ++incident_.tries;
  return true;
}

/// Returns whether a new incident begins. If so, forgets the incident before.
bool Recovery::begins_incident(Time now) {
  if (now < incident_.lasts_until) return false;
  incident_.suspects.clear();
  incident_.condemned.clear();
  incident_.tries = 0;
  rollback_.forget();
  return true;
}

bool Recovery::meet(Trigger trigger, std::optional<HostId> host, bool wrong, Time now, Seating& seating,
                    Orders& out) {
  const Reaction reaction = kReactions[stage_.index()][static_cast<std::size_t>(trigger)];
  // A job that is down is started anew anyway.
  if (reaction == Reaction::ignore || (trigger == Trigger::degraded && !host && !running())) return false;
  const bool again =
      running() && !begins_incident(now) && trigger != Trigger::operated && rollback_.repeats();
  if (wrong || (again && trigger != Trigger::degraded)) rollback_.doubt();
  const bool examined = examines(trigger) && (host || trigger != Trigger::degraded);
  if (reaction == Reaction::treat) {
    treat(*host, examined, now, seating, out);
    return false;
  }
  remember(trigger, host);
  switch (reaction) {
    case Reaction::join:
      if (trigger == Trigger::noticed) return false;  // asked if the start that is under way fails too
      treatment_.diagnose = trigger == Trigger::restart ? treatment_.diagnose && !restart_will_do()
                                                        : treatment_.diagnose || examined;
      return false;
    case Reaction::save:
      treatment_.diagnose = examined;
      save(StopReason::fault, now, out);
      return false;
    case Reaction::gather:
      treatment_.diagnose = true;
      gather(now, out);
      return true;
    default:
      if (reaction == Reaction::redo && trigger != Trigger::degraded && trigger != Trigger::noticed &&
          trigger != Trigger::operated)
        attempts_.failed(now);
      give_up(out);
      treatment_.diagnose = trigger == Trigger::restart ? !restart_will_do() : examined;
      stop(
          trigger == Trigger::operated && reaction != Reaction::cut ? StopReason::planned : StopReason::fault,
          out);
      return reaction == Reaction::begin && trigger != Trigger::operated;
  }
}

/// Cancels the start, the back-off or the gathering that is in progress.
void Recovery::give_up(Orders& out) {
  if (const auto* starting = std::get_if<Starting>(&stage_)) out.add(Cancel{starting->start});
  if (const auto* waiting = std::get_if<BackingOff>(&stage_)) out.add(Cancel{waiting->wake});
  if (const auto* gathering = std::get_if<Gathering>(&stage_)) {
    out.add(Cancel{gathering->limit});
    if (gathering->asked) out.add(Unwatch{reports_.last_collective});
  }
}

void Recovery::on(const StopRequest& told, Time now, Orders& out) {
  hold_.until = std::max(hold_.until, after(now, told.hold));
  if (told.preempted) hold_.reason = StopReason::preempted;
  const StopReason reason = told.preempted ? StopReason::preempted : StopReason::planned;
  if (std::holds_alternative<Running>(stage_)) {
    save(reason, now, out);
  } else if (auto* saving = std::get_if<Saving>(&stage_)) {
    if (saving->reason != StopReason::fault) saving->reason = reason;
    saving->optional = false;
  } else if (auto* holding = std::get_if<Holding>(&stage_); holding && told.preempted) {
    holding->reason = reason;
    out.add(Stop{job_, reason});
    give_hosts_back(out);
  } else if (const auto* starting = std::get_if<Starting>(&stage_)) {
    out.add(Cancel{starting->start});
    stop(reason, out);
  }  // else the job is down, or about to be, and is held before the next start
}

void Recovery::take_out(HostId host, Time now, Seating& seating, Orders& out) {
  meet(Trigger::operated, host, false, now, seating, out);
}

void Recovery::mark_for_maintenance(HostId host, Time now, Seating& seating, Orders& out) {
  const Reaction reaction = kReactions[stage_.index()][static_cast<std::size_t>(Trigger::operated)];
  // A job that does not train has nothing to save.
  if (reaction == Reaction::treat || reaction == Reaction::redo) return take_out(host, now, seating, out);
  add_once(maintenance_, host);
  if (!running()) return;
  treatment_.diagnose = false;
  save(StopReason::planned, now, out);
  std::get<Saving>(stage_).optional = true;
}

void Recovery::on(const Seen& seen) {
  if (seen.watch == reports_.probes) examinations_.on(seen);
  if (auto* gathering = std::get_if<Gathering>(&stage_); gathering && seen.watch == reports_.last_collective)
    gathering->answers.emplace_back(host_of(seen.who), static_cast<Dimension>(seen.value));
}

bool Recovery::on(const Outcome& outcome, Time now, Seating& seating, Orders& out) {
  if (attempts_.waits_for(outcome.order)) {
    if (attempts_.pass_deadline(outcome)) expire(now, seating, out);
    return false;
  }
  // A host that was granted before its order was cancelled still belongs to the job. A host that was evicted before
  // the controller learned of the grant has left again.
  const auto* granted = std::get_if<Granted>(&outcome.result);
  const bool left = granted != nullptr && !seating.in_service(granted->host);
  if (granted != nullptr && !left) seating.join(granted->host);
  if (left) seating.came_and_went(granted->host);
  if (!acquires_.empty() && std::erase(acquires_, outcome.order) > 0) {
    if (left) acquire(1, out);
    host_came(now, seating, out);
    return false;
  }
  if (const auto findings = examinations_.on(outcome, out)) {
    examined(*findings, now, seating, out);
    return false;
  }
  if (auto* saving = std::get_if<Saving>(&stage_)) {
    if (saving->limit == outcome.order) out.add(Cancel{saving->checkpoint});
    if (saving->limit == outcome.order || saving->checkpoint == outcome.order)
      saved(*saving, outcome, now, seating, out);
  } else if (auto* gathering = std::get_if<Gathering>(&stage_)) {
    if (gathering->limit == outcome.order) gathered(now, seating, out);
  } else if (auto* stopping = std::get_if<Stopping>(&stage_)) {
    if (stopping->stop == outcome.order) stopped(now, seating, out);
  } else if (auto* replacing = std::get_if<Replacing>(&stage_)) {
    if (replacing->limit == outcome.order) go_on_smaller(now, seating, out);
  } else if (auto* holding = std::get_if<Holding>(&stage_)) {
    if (holding->wake == outcome.order) make_ready(now, seating, out);
  } else if (auto* starting = std::get_if<Starting>(&stage_)) {
    if (starting->start == outcome.order) return started(outcome, now, seating, out);
  } else if (auto* waiting = std::get_if<BackingOff>(&stage_)) {
    if (waiting->wake == outcome.order) make_ready(now, seating, out);
  } else if (auto* keeping = std::get_if<Keeping>(&stage_)) {
    if (keeping->wake == outcome.order) release(out);
  } else if (auto* released = std::get_if<Released>(&stage_)) {
    if (released->question == outcome.order) answered(outcome, now, seating, out);
  }
  return false;
}

// --- from stage to stage -----------------------------------------------------------------------------------------------

void Recovery::save(StopReason reason, Time now, Orders& out) {
  const OrderId checkpoint = out.add(Checkpoint{job_});
  stage_ = Saving{checkpoint, out.add(Wake{after(now, constants_->recovery.save_timeout)}), reason};
}

/// The last checkpoint before a stop has ended, well or not.
void Recovery::saved(const Saving& saving, const Outcome& outcome, Time now, const Seating& seating,
                     Orders& out) {
  const bool done = saving.checkpoint == outcome.order && outcome.status == Status::done;
  const bool stops = !saving.optional || done || treatment_.diagnose || !incident_.condemned.empty();
  if (stops) return stop(saving.reason, out);
  stage_ = Running{};
  grow(now, seating, out);  // hosts may have come meanwhile
}

void Recovery::gather(Time now, Orders& out) {
  if (constants_->detection.gather == Duration::zero()) return stop(StopReason::fault, out);
  stage_ = Gathering{out.add(Wake{after(now, constants_->detection.gather)}), false, {}};
}

/// No host was named. If hangs are localised, every host is asked in which collective it waits. The wait for the
/// answers then takes `detection.gather` once more.
void Recovery::gathered(Time now, Seating& seating, Orders& out) {
  auto& gathering = std::get<Gathering>(stage_);
  if (diagnoser_.localises && !gathering.asked) {
    gathering.asked = true;
    out.add(Watch{.id = reports_.last_collective,
                  .signal = Signal::last_collective,
                  .who = Scope::hosts_of(job_),
                  .until = Sample{1}});
    gathering.limit = out.add(Wake{after(now, constants_->detection.gather)});
    return;
  }
  if (gathering.asked) {
    out.add(Unwatch{reports_.last_collective});
    std::vector<std::optional<Dimension>> answers(seating.inventory().job_hosts);
    for (const auto& [host, dimension] : gathering.answers) {
      if (seating.in_job(host)) answers[seating.slot_of(host)] = dimension;
    }
    for (const std::uint32_t slot : slots_waited_for(seating.inventory(), answers)) {
      if (const auto host = seating.host_in(slot)) add_once(incident_.suspects, *host);
    }
  }
  stop(StopReason::fault, out);
}

void Recovery::stop(StopReason reason, Orders& out) {
  treatment_.explained = false;
  stage_ = Stopping{out.add(Stop{job_, reason}), reason};
}

void Recovery::stopped(Time now, Seating& seating, Orders& out) {
  if (attempts_.deadline_passed()) return make_ready(now, seating, out);
  if (treatment_.ask) return ask(out);
  if (attempts_.retries() && incident_.suspects.empty()) {
    treatment_.diagnose = false;
    return make_ready(now, seating, out);
  }
  const bool fault = std::get<Stopping>(stage_).reason == StopReason::fault;
  if (custom_ != nullptr && fault) return decide(now, seating, out);
  if (first_ == First::person && fault) return ask(out);
  const bool restarts = first_ == First::restart || first_ == First::restart_only;
  const bool try_restart = restarts && incident_.tries < constants_->recovery.restarts_in_place;
  if (treatment_.diagnose && try_restart) {
    ++incident_.tries;
    treatment_.diagnose = false;
  }
  make_ready(now, seating, out);
}

// --- hosts ---------------------------------------------------------------------------------------------------------------

/// Examines or replaces a host that is named while the job is down. The present wait of the job goes on meanwhile.
void Recovery::treat(HostId host, bool examined, Time now, Seating& seating, Orders& out) {
  if (examined) {
    add_once(incident_.suspects, host);
    if (!examinations_.examines(host)) examine({host}, now, seating, out);
    return;
  }
  evict({host}, now, seating, out);
  if (std::holds_alternative<Diagnosing>(stage_) && !examinations_.any()) make_ready(now, seating, out);
}

/// Examines the stop: the hosts that were named for it, or every host of the job if none was named.
void Recovery::diagnose(Time now, Seating& seating, Orders& out) {
  std::erase_if(incident_.suspects, [&](HostId host) { return !seating.in_job(host); });
  treatment_.diagnose = false;
  stage_ = Diagnosing{};
  std::vector<HostId> hosts;
  for (const HostId host : incident_.suspects)
    if (!examinations_.examines(host)) hosts.push_back(host);
  if (incident_.suspects.empty() || !hosts.empty()) examine(std::move(hosts), now, seating, out);
}

/// By the means of the scenario.
void Recovery::examine(std::vector<HostId> hosts, Time now, Seating& seating, Orders& out) {
  if (diagnoser_.means == Diagnoser::Means::person || first_ == First::restart_only)
    return examinations_.ask(std::move(hosts), out);
  if (diagnoser_.means == Diagnoser::Means::evidence)
    return examined({.hosts = std::move(hosts), .by_person = false}, now, seating, out);
  if (const auto found = examinations_.probe(constants_->diagnosis, std::move(hosts), out))
    examined(*found, now, seating, out);
}

void Recovery::examined(const Findings& findings, Time now, Seating& seating, Orders& out) {
  treatment_.explained = treatment_.explained || findings.by_person || !findings.hosts.empty();
  if (findings.by_person) looked_after(now);
  evict(findings.hosts, now, seating, out);
  if (!examinations_.any() && !treatment_.explained) explain(now, seating, out);
  if (examinations_.any()) return;
  if (std::holds_alternative<Diagnosing>(stage_)) return make_ready(now, seating, out);
  if (const auto* replacing = std::get_if<Replacing>(&stage_); replacing != nullptr && replacing->late)
    go_on_smaller(now, seating, out);
}

/// The examinations of this stop have found no host. The failure may have been chance, so the job restarts, up to
/// `restarts_in_place` times. After that the suspects are replaced on the evidence of the detectors alone. If there is
/// no suspect, a person is asked.
void Recovery::explain(Time now, Seating& seating, Orders& out) {
  if (attempts_.retries()) {
    incident_.suspects.clear();
  } else if (custom_ != nullptr) {
    decide_after_examination(now, seating, out);
  } else if (incident_.tries < constants_->recovery.restarts_in_place) {
    ++incident_.tries;
  } else if (!incident_.suspects.empty()) {
    evict(std::vector(incident_.suspects), now, seating, out);
  } else {
    ask(out);
  }
}

/// Asks a person about the stop.
void Recovery::ask(Orders& out) {
  treatment_.ask = false;
  treatment_.diagnose = false;
  stage_ = Diagnosing{};
  examinations_.ask(incident_.suspects, out);
}

/// A person has looked: what was tried before is tried anew.
void Recovery::looked_after(Time now) {
  incident_.tries = 0;
  attempts_.begin_anew(now);
}

/// Evicts hosts of the job and orders a replacement for each. If the job has given its hosts back, or is about to, no
/// replacement is ordered.
void Recovery::evict(const std::vector<HostId>& hosts, Time now, Seating& seating, Orders& out) {
  for (const HostId host : hosts) {
    std::erase(incident_.suspects, host);
    std::erase(incident_.condemned, host);
    if (!seating.in_job(host)) continue;
    out.add(Evict{host});
    seating.evict(host);
    examinations_.evicted(host, out);
    if (attempts_.deadline_passed() || lends_hosts(now) || std::holds_alternative<Released>(stage_)) continue;
    attempts_.begin_anew(now);
    acquire(1, out);
  }
}

void Recovery::acquire(std::uint32_t hosts, Orders& out) {
  if (hosts > 0 && job_hosts_ == JobHosts::kept) job_hosts_ = JobHosts::some_new;
  for (std::uint32_t i = 0; i < hosts; ++i) acquires_.push_back(out.add(Acquire{job_}));
}

/// An order for a host is over: the host has come, or it will not come.
void Recovery::host_came(Time now, Seating& seating, Orders& out) {
  const auto* replacing = std::get_if<Replacing>(&stage_);
  if (replacing == nullptr) return;
  if (replacing->late) return go_on_smaller(now, seating, out);
  if (!acquires_.empty()) return;
  if (replacing->limit) out.add(Cancel{*replacing->limit});
  make_ready(now, seating, out);
}

void Recovery::wait_for_hosts(Time now, Orders& out) {
  const Duration wait = constants_->recovery.wait_for_spare;
  Replacing replacing;
  if (wait != kForever) replacing.limit = out.add(Wake{after(now, wait)});
  stage_ = replacing;
}

void Recovery::cancel_acquires(Orders& out) {
  for (const OrderId acquire : std::exchange(acquires_, {})) out.add(Cancel{acquire});
}

// --- smaller for a while -------------------------------------------------------------------------------------------------

void Recovery::go_on_smaller(Time now, Seating& seating, Orders& out) {
  std::get<Replacing>(stage_).late = true;
  const bool enough = seating.replicas_held() >= std::max(1U, constants_->recovery.least_replicas);
  if (!enough || examinations_.any()) return;  // waits for the next one, or until nobody is examined
  may_grow_ = false;
  cancel_acquires(out);
  make_ready(now, seating, out);
}

void Recovery::spare_came(Time now, const Seating& seating, Orders& out) {
  may_grow_ = true;
  grow(now, seating, out);
}

void Recovery::grow(Time now, const Seating& seating, Orders& out) {
  if (running() && may_grow_ && seating.hosts_to_grow() > 0) save(StopReason::grow, now, out);
}

/// The number of hosts that the job still has to order, for vacant slots and for the replicas that it lacks.
std::uint32_t Recovery::hosts_missing(const Seating& seating) const {
  const auto ordered = static_cast<std::uint32_t>(acquires_.size());
  const std::uint32_t vacant = std::max(seating.vacant(), ordered) - ordered;
  return vacant + (may_grow_ && ordered == 0 ? seating.hosts_to_grow() : 0);
}

/// The job is down, and its last wait is over. Chooses the next stage: another wait, or the start.
void Recovery::make_ready(Time now, Seating& seating, Orders& out) {
  if (attempts_.deadline_passed()) return keep(now, out);
  if (treatment_.diagnose) return diagnose(now, seating, out);
  if (!incident_.condemned.empty()) evict(std::vector(incident_.condemned), now, seating, out);
  if (!maintenance_.empty()) evict(std::exchange(maintenance_, {}), now, seating, out);
  if (examinations_.any()) {
    stage_ = Diagnosing{};
    return;
  }
  if (!lends_hosts(now)) {
    if (!std::holds_alternative<Replacing>(stage_))  // else it has what it gets
      acquire(hosts_missing(seating), out);
    if (!acquires_.empty()) return wait_for_hosts(now, out);
  }
  if (attempts_.used_up()) return keep(now, out);
  if (now < hold_.until) {
    // The job may have stopped for another reason. From now on it is down for the stop request, and this order says so
    // to the readers of the orders.
    const StopReason reason = hold_.reason;
    const auto* holding = std::get_if<Holding>(&stage_);
    const auto* stopping = std::get_if<Stopping>(&stage_);
    const bool said_already = (holding != nullptr && holding->reason == reason) ||
                              (stopping != nullptr && stopping->reason == reason);
    if (!said_already) out.add(Stop{job_, reason});
    if (reason == StopReason::preempted) give_hosts_back(out);
    stage_ = Holding{out.add(Wake{hold_.until}), reason};
    return;
  }
  hold_.reason = StopReason::planned;
  if (now < attempts_.not_before()) {
    stage_ = BackingOff{out.add(Wake{attempts_.not_before()})};
    return;
  }
  start(now, seating, out);
}

}  // namespace gauntlet
